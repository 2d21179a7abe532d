// What has happened in a service: emitted as events, and kept for its status.

import type { ServeEvent, ServiceStatus } from '../contract/events.js'

export class ServiceHistory implements Pick<
  ServiceStatus,
  'startedAt' | 'reloads' | 'crashes' | 'renewals' | 'lastProblem'
> {
  readonly startedAt = Date.now()
  reloads = 0
  crashes = 0
  renewals = 0
  /** How often the job was started. */
  runs = 0
  lastProblem: string | null = null
  readonly #onEvent: (event: ServeEvent) => void

  constructor(onEvent: (event: ServeEvent) => void) {
    this.#onEvent = onEvent
  }

  warn(text: string): void {
    this.lastProblem = text
    this.emit({ type: 'warning', text })
  }

  emit(event: ServeEvent): void {
    // In a microtask: an error of the listener must not stop what is under way here.
    queueMicrotask(() => this.#onEvent(event))
  }
}
