// Messages to whoever listens at that moment, beside the jobs that a store keeps; and the connection of both.

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
  readonly backend: BackendFactory | undefined
  /** Begins the names of channels, and of keys. */
  readonly prefix: string
  readonly isUp: boolean
  /** What of its settings puts jobs at risk, in sentences. */
  risks(): Promise<readonly string[]>
  /** Removes all keys that begin with the prefix. */
  removeKeys(): Promise<void>
  /** Ends it at once, whatever is under way. */
  end(): void
}

export interface ConnectionEvents {
  /** It can be reached again: messages may have been missed. */
  readonly onUp: () => void
}
