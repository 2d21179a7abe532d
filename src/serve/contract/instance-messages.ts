// The messages between the primary and the code that runs inside an instance, over the channel of node:cluster.

import type { InstanceLoad, RenewLimit } from './events.js'

/** Settings of an instance; they travel in this variable, which the instance removes before the user's code runs. */
export const SETTINGS_VARIABLE = 'THREADWISE_INSTANCE'

export interface InstanceSettings {
  /** Holds back listen() from the primary until it sends 'open'. */
  isGated: boolean
  /** Listens by itself, on a port that others listen on too. */
  reusePort: boolean
  /** Connections come with what the primary has read from them. */
  readsAhead: boolean
  graceMs: number
  hangTimeoutMs: number | null
  maxMemory: number | null
  maxRequests: number | null
  /** Its output goes to the primary. */
  isCollected: boolean
}

export type ToInstance =
  /** Ask your own server for this path; answered by 'checked'. */
  | { threadwise: 'check'; path: string }
  /** Take connections; answered by 'opened'. */
  | { threadwise: 'open' }
  /** Take no more connections; answered by 'left'. */
  | { threadwise: 'leave' }
  /** No connection is in flight any more: let the open ones end; answered by 'drained'. */
  | { threadwise: 'drain' }
  /** Give your load; answered by 'load'. */
  | { threadwise: 'load' }
  /** Give what you have used so far; answered by 'usage'. */
  | { threadwise: 'usage' }
  /** Show that your event loop turns; answered by 'pong'. */
  | { threadwise: 'ping' }
  /** Enough time was given. */
  | { threadwise: 'end' }

export type FromInstance =
  | { threadwise: 'listens' }
  /** It lacks something without which it must not serve. */
  | { threadwise: 'unable'; reason: string }
  | { threadwise: 'checked'; isHealthy: boolean; answer: string }
  | { threadwise: 'opened'; problem: string | null }
  | { threadwise: 'left' }
  | { threadwise: 'drained' }
  | { threadwise: 'load'; load: InstanceLoad }
  | { threadwise: 'usage'; usage: InstanceUsage }
  | { threadwise: 'pong' }
  /** It should be replaced. */
  | { threadwise: 'limitReached'; limit: RenewLimit; found: string }

/** The message, if it is one of ours: the channel also carries what the user's code sends. */
export function ownMessage<T extends ToInstance | FromInstance>(message: unknown): T | undefined {
  const isOwn = typeof message === 'object' && message !== null && 'threadwise' in message
  return isOwn ? (message as T) : undefined
}

/** What an instance has used since its start. */
export interface InstanceUsage {
  readonly activeMs: number
  readonly idleMs: number
  readonly cpuMs: number
  /** Requests that are open now. */
  readonly open: number
}
