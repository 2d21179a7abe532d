// The connection to the store of a queue: what BullMQ takes, and messages to whoever listens at that moment, beside the jobs that are kept.

import type { BackendFactory } from 'bullmq'

export interface Bus {
  /** Kept until the store can be reached. */
  publish(channel: string, text: string): Promise<unknown>
  /** Resolves when it listens; the returned function ends that. */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => void>
}

export interface Connection extends Bus {
  /** What BullMQ takes: the connection, and what speaks to it. */
  readonly connection: object
  /** Undefined: what BullMQ has for Redis. */
  readonly backend: BackendFactory | undefined
  /** Begins the names of keys; undefined: the store keeps its jobs by the name of the queue alone. */
  readonly prefix: string | undefined
  readonly isUp: boolean
  /** What of its settings puts jobs at risk, in sentences. */
  risks(): Promise<readonly string[]>
  /** Removes all that is kept under the prefix. */
  removeKeys(): Promise<void>
  /** Ends it at once, whatever is under way. */
  end(): void
}

export interface ConnectionEvents {
  /** It can be reached again: messages may have been missed. */
  readonly onUp: () => void
  /** Why it cannot be reached, or refuses: a wrong password, another protocol. It is tried again. Empty: that is over. */
  readonly onProblem: (problem: string) => void
}
