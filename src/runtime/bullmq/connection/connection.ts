// The connection to the store of a queue: what BullMQ takes, and what is needed beside it: messages to whoever listens at that moment, and
// marks by the store's clock.

import type { BackendFactory } from 'bullmq'
import type { KeptJob, Withdrawal } from '../../queue/store.js'

export interface Bus {
  /** Kept until the store can be reached. */
  publish(channel: string, text: string): Promise<unknown>
  /** Resolves when it listens; the returned function ends that. */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => void>
}

export interface StoreConnection extends Bus {
  /** Resolves when the store can be reached and is the one that was named; rejects when it will not have us. */
  readonly ready: Promise<void>
  /** What BullMQ takes: the connection, and what speaks to it. */
  readonly connection: object
  /** Undefined: what BullMQ has for Redis. */
  readonly backend: BackendFactory | undefined
  /** Begins the names of keys; undefined: the store keeps its jobs by the name of the queue alone. */
  readonly prefix: string | undefined
  /** What this store is to others: two with the same name hear each other. */
  readonly scope: string
  /** What only those know who may use the queue: the password, or what the tables hold. */
  secret(): Promise<string>
  readonly isUp: boolean
  /** How often a connection broke while something was under way: what was asked may have been asked twice. */
  readonly breaks: number
  /** The bytes of the largest result that goes with its message. */
  readonly maxMessage: number
  /** Beside the jobs of that queue. */
  marks(queue: string): Marks
  /** To be called once BullMQ has made a queue of it: adds are guarded from then on. */
  guard(): void
  /**
   * To be called once BullMQ has made a worker of it: what `endOf` gives is done in the step in which that job ends. Undefined: the store has no
   * such step.
   */
  readonly atEnd?: (queue: string, endOf: (id: string) => End | undefined) => void
  /**
   * Resolves when it would outlive the server that a job was taken, and whether it is still that of `token`. Undefined: nothing is lost with one
   * server.
   */
  readonly secure?: (queue: string, id: string, token: string) => Promise<boolean>
  /** Resolves when the connection that listens has answered. */
  ping(): Promise<void>
  /** Connects anew: what is connected gives no answer. */
  replace(): void
  /** What of its settings puts jobs at risk, in sentences. */
  risks(): Promise<readonly string[]>
  /** Removes all that is kept under the prefix. */
  removeKeys(): Promise<void>
  /** Ends it at once, whatever is under way. */
  end(): void
}

// What is kept of the jobs of a queue beside BullMQ's own, all by the store's clock:
//
//   added --> (taken) --> ended: kept until ... --> removed, gone at ... --> (nothing)
//     '--> withdrawn: removed, gone at ... ----------'
//
// An add says when its call was made. One that comes again after its job has gone is refused, as it was made before: so nothing starts twice,
// however late an add arrives. ADD_MS after it was made an add is refused whatever is known; what has gone is remembered for twice as long.

/** Milliseconds for which an add may be sent. */
export const ADD_MS = 120_000
export const GONE_MS = 2 * ADD_MS
/** Milliseconds for which an end is kept of which nobody has said for how long: its worker has died in that moment. */
export const ORPHAN_MS = 600_000
/** Jobs that are removed in one go. */
export const SWEEP = 500
/** Jobs that wait of which it is asked since when. */
export const ASKED = 1000

/** What an add gives in place of the id of its job. */
export const LATE_JOB = 'threadwise:late'
export const KNOWN_JOB = 'threadwise:known'

/** Codes as the stores give them. */
export const FOUND = { withdrawn: -2, missing: -1, open: 0, completed: 1 } as const

export interface FoundJob {
  /** One of FOUND; any other: it has failed. */
  readonly code: number
  /** The result as JSON, or the reason. */
  readonly value: string
}

export interface Owner {
  readonly name: string
  /** As JSON. */
  readonly opts: string
  /** It waits no more. */
  readonly isTaken: boolean
}

/** What is done when a job ends. */
export interface End extends KeptJob {
  readonly told: readonly { readonly channel: string; readonly text: string }[]
}

export interface Marks {
  /** Milliseconds since 1970 by the store's clock. */
  now(): Promise<number>
  /** Resolves when the store has written something. */
  write(): Promise<void>
  /** When the first of the jobs that wait was made, of as many as can be asked; undefined: none waits. */
  oldest(): Promise<number | undefined>
  look(ids: readonly string[]): Promise<readonly FoundJob[]>
  /** Undefined: there is no such job. */
  owner(id: string): Promise<Owner | undefined>
  /** Removes a job that nobody has started. `isFinal`: for all who wait for it, who would add it anew otherwise. */
  withdraw(id: string, isFinal?: boolean): Promise<Withdrawal>
  /** Removes a job that has failed, as if it had been withdrawn before: whoever waits for its id adds it anew. */
  discard(id: string): Promise<void>
  /** These have ended, and are kept for so long. */
  keep(ended: readonly KeptJob[]): Promise<void>
  /** How often a job was started until it ended; undefined: that is not known. */
  startsAtEnd(id: string): Promise<number | undefined>
  /** Their callers have what they gave: they are kept for no longer than that. */
  release(seen: readonly KeptJob[]): Promise<void>
  /** Removes what is kept no longer. Milliseconds until there is more to remove; undefined: nothing is kept. */
  sweep(): Promise<number | undefined>
}
