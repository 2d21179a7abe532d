// What the caller's side of a queue needs to know, whatever keeps the queue.

import type { Observer } from '../core/observer.js'
import type { CallerStore, StoreErrors, StoreEvents } from './store.js'

/** Times are in milliseconds. */
export interface QueueOptions {
  readonly queue: string
  readonly startTimeout: number
  readonly closeTimeout: number
  readonly workerTimeout: number
  readonly storeTimeout: number
  readonly keepResults: number
  readonly maxPayload: number
  readonly retries: number
  readonly observer: Observer
  readonly openStore: (events: StoreEvents) => Promise<CallerStore>
  readonly storeErrors: StoreErrors
}
