// How a page and a worker find each other.
//
//   worker: HELLO   its file has run: messages that come before nobody would hear, where the file awaits something at its top. From now on its
//                   time to start counts
//   page:   begin   who it is, and the name of a lock; none in Firefox
//   worker: HELD    it holds that lock, so the page can queue for it: it gets it when the worker has ended, however that comes
//   worker: ready   the pool may give it calls
//   worker: ENDS    it closes itself, whoever asked for that: at once, and where there are no locks
//
// A page of Firefox that ever had a worker which ended with a lock never comes back from the cache for "back and forward". So there, and where
// the page is not secure, an end is known by ENDS, and by the terminate() of the worker (start-web-worker.ts).

import type { CancelledIds } from './cancelled-ids.js'
import type { WorkerIds } from '../pool/workers/worker.js'
import type { BeginMessage } from '../wire/messages.js'

export const HELLO = 'threadwise:hello'
export const HELD = 'threadwise:held'
export const ENDS = 'threadwise:ends'

export interface WebBeginMessage extends BeginMessage {
  readonly name: string
  readonly ids: WorkerIds
  readonly lock: string | undefined
  /** Calls that may wait on promises at a time. */
  readonly waiting: number
  readonly cancelled: CancelledIds | undefined
}
