// How a page and a worker find each other.
//
//   worker: HELLO   its file has run: messages that come before nobody would hear, where the file awaits something at its top
//   page:   begin   who it is, and the name of a lock
//   worker: HELD    it holds that lock, so the page can queue for it: it gets it when the worker has ended, however that comes
//   worker: ready   the pool may give it calls

import type { CancelledIds } from './cancelled-ids.js'
import type { WorkerIds } from '../pool/workers/worker.js'
import type { BeginMessage } from '../wire/messages.js'

export const HELLO = 'threadwise:hello'
export const HELD = 'threadwise:held'

export interface WebBeginMessage extends BeginMessage {
  readonly name: string
  readonly ids: WorkerIds
  readonly lock: string
  /** Calls that may wait on promises at a time. */
  readonly waiting: number
  readonly cancelled: CancelledIds | undefined
}
