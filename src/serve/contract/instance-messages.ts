// The messages between the primary and the code that runs inside an instance, over the channel of node:cluster. They have the form of
// Node's own: it emits them as 'internalMessage', and no listener for 'message' sees them, neither in the app nor beside serve().

import type { InstanceLoad, RenewLimit } from './events.js'

/** Settings of an instance; they travel in this variable, which the instance removes before the user's code runs. */
export const SETTINGS_VARIABLE = 'THREADWISE_INSTANCE'

/** How an app is told that it is to end; `message`: by `process.on('message', (text) => text === 'shutdown')`. */
export type StopSignal = NodeJS.Signals | 'message'

export interface InstanceSettings {
  /** No connection but its own reaches it until the primary sends 'open'. */
  isShut: boolean
  /** Listens by itself, on a port that others listen on too, when the primary sends 'open'. */
  isGated: boolean
  /** Connections come with what the primary has read from them. */
  readsAhead: boolean
  graceMs: number
  stopSignal: StopSignal
  hangTimeoutMs: number | null
  maxMemory: number | null
  maxRequests: number | null
  /** Its output goes to the primary. */
  isCollected: boolean
}

export type ToInstance =
  /** Ask your own server for this path; answered by 'checked'. */
  | { threadwise: 'check'; path: string }
  /** Take connections; answered by 'opened' where it is gated. */
  | { threadwise: 'open' }
  /** Take no more connections; answered by 'left'. */
  | { threadwise: 'leave' }
  /** No connection is in flight any more: tell the app that it is to end, and let the open ones end; answered by 'drained'. */
  | { threadwise: 'drain' }
  /** Give your load; answered by 'load'. */
  | { threadwise: 'load' }
  /** Give what you have used so far; answered by 'usage'. */
  | { threadwise: 'usage' }
  /** Show that your event loop turns; answered by 'pong'. */
  | { threadwise: 'ping' }
  /** The connections are closed, or enough time was given: an app that does not end by itself is to end. */
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

/** Node emits what begins with NODE_ as 'internalMessage'; node:cluster passes over names that are not its own. */
const CMD = 'NODE_THREADWISE'

/** What is sent for a message. */
export function packed<T extends ToInstance | FromInstance>(message: T): T & { cmd: string } {
  return { cmd: CMD, ...message }
}

/** The message, if it is one of ours: the channel also carries those of node:cluster. */
export function ownMessage(message: unknown): { threadwise: unknown } | undefined {
  if (typeof message !== 'object' || message === null || !('cmd' in message)) return undefined
  const { cmd, ...own } = message
  return cmd === CMD ? { threadwise: undefined, ...own } : undefined
}

/** What an instance has used since its start. */
export interface InstanceUsage {
  readonly activeMs: number
  readonly idleMs: number
  readonly cpuMs: number
  /** Requests that are open now. */
  readonly open: number
}
