// The messages between a command and a running service over the control socket: one line of JSON each way.

import type { ServiceStatus } from '../contract/events.js'
import type { ServeOptions } from '../contract/options.js'

export type ControlRequest =
  | { command: 'status' }
  /** The status with the load of the instances, for which they are asked. */
  | { command: 'inspect' }
  | { command: 'reload' }
  | { command: 'scale'; instances: number }
  | { command: 'stop' }
  /** Run with the options of this app from now on; with `isTrial` only say what differs. */
  | {
      command: 'apply'
      file: string | readonly string[]
      options: Omit<ServeOptions, 'onEvent'>
      isTrial: boolean
    }

/** An option that differs from what the service runs with. */
export interface AppliedChange {
  option: string
  text: string
  isApplied: boolean
}

export type ControlAnswer =
  | { ok: true; status: ServiceStatus; changes?: AppliedChange[] }
  /** The error of threadwise, or of whatever went wrong. */
  | { ok: false; code: string | null; message: string }

/** A longer line does not come from threadwise. */
export const MAX_LINE_BYTES = 1_000_000
