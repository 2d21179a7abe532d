// What a service tells while it runs, and what it says of itself when it is asked.

import type { InstanceState } from './instance.js'

export type ServeEvent =
  /** An instance takes requests. */
  | { type: 'ready'; instance: number; pid: number }
  /** An instance is to end, after its requests. */
  | { type: 'draining'; instance: number; pid: number }
  /** An instance has ended: `how` it did, and whether that was wanted. */
  | { type: 'gone'; instance: number; pid: number; how: string; wasWanted: boolean }
  /** A replacement starts in `delayMs`. */
  | { type: 'replacing'; delayMs: number; unstable: number }
  | { type: 'reloaded'; instances: number }

/** `degraded`: fewer instances serve than are wanted. */
export type ServiceState = 'starting' | 'serving' | 'degraded' | 'stopping' | 'stopped' | 'failed'

export interface ServiceStatus {
  version: 1
  name: string
  file: string
  /** Of the primary. */
  pid: number
  state: ServiceState
  /** Instances that there should be. */
  wanted: number
  /** Milliseconds since 1970. */
  startedAt: number
  /** Since the start of the service. */
  reloads: number
  /** Instances that ended without being told to. */
  crashes: number
  /** The last thing that went wrong; null when nothing did. */
  lastProblem: string | null
  instances: InstanceStatus[]
}

export interface InstanceStatus {
  id: number
  pid: number
  state: InstanceState
  /** Milliseconds since 1970. */
  startedAt: number
  readyAt: number | null
}
