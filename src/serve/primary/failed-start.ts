// An instance whose process the system did not make, as when memory or file descriptors run out, or its variables are too long. It has ended
// at once, so whoever started it does what is done for each that ends too soon: tries again later.

import type { InstanceState } from '../contract/events.js'
import type { Instance, ReachedLimit } from './instance.js'

let lastId = 0

export class FailedInstance implements Instance {
  /** Below those of processes. */
  readonly id = --lastId
  readonly pid = 0
  readonly startedAt = Date.now()
  readonly place: number
  readonly ready: Promise<void>
  readonly gone: Promise<string>
  readonly needsReplacement: Promise<ReachedLimit> = new Promise(() => {})
  readonly inFlight = 0
  readonly readyAt = null
  readonly exitCode = null
  readonly state: InstanceState = 'gone'

  constructor(place: number, cause: Error) {
    this.place = place
    const how = `because it could not be started (${cause.message})`
    this.gone = Promise.resolve(how)
    this.ready = Promise.reject(new Error(`it ended ${how}`))
    this.ready.catch(() => {}) // whoever started it may only look at its end
  }

  listensOn = (): boolean => false
  leave = async (): Promise<void> => {}
  drain = async (): Promise<void> => {}
  listenLike = async (): Promise<void> => {}
  load = async (): Promise<null> => null
  usage = async (): Promise<null> => null
  kill = (): void => {}
}
