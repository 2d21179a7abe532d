// The messages between a command and a running service over the control socket: one line of JSON each way.

import type { ServiceStatus } from '../contract/events.js'

export type ControlRequest =
  | { command: 'status' }
  /** The status with the load of the instances, for which they are asked. */
  | { command: 'inspect' }
  | { command: 'reload' }
  | { command: 'scale'; instances: number }
  | { command: 'stop' }

export type ControlAnswer =
  | { ok: true; status: ServiceStatus }
  /** The error of threadwise, or of whatever went wrong. */
  | { ok: false; code: string | null; message: string }

/** A longer line does not come from threadwise. */
export const MAX_LINE_BYTES = 1_000_000
