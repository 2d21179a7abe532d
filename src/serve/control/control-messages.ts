// The messages between a command and a running service over the control socket: one line of JSON each way.

import type { AppPlan } from '../apps/app-plan.js'
import type { ServiceStatus } from '../contract/events.js'
import type { Fault } from '../../user/line-socket.js'

/** Variables that take the place of those with which it was started. */
type Variables = Readonly<Record<string, string>>

export type ControlRequest =
  | { command: 'status' }
  /** The status with the load of the instances, for which they are asked. */
  | { command: 'inspect' }
  /** The plan by which it runs. */
  | { command: 'plan' }
  | { command: 'reload'; env?: Variables | undefined }
  | { command: 'scale'; instances: number }
  | { command: 'stop' }
  | ApplyRequest
  | RestartRequest

/** Run by this plan from now on; with `isTrial` only say what differs. */
export interface ApplyRequest {
  command: 'apply'
  plan: AppPlan
  isTrial: boolean
  env?: Variables | undefined
}

/** End, and let another process take the place. It is answered when that one is there. */
export interface RestartRequest {
  command: 'restart'
  plan?: AppPlan | undefined
  env?: Variables | undefined
}

/** An option that differs from what the service runs with. */
export interface AppliedChange {
  option: string
  text: string
  isApplied: boolean
}

export type ControlAnswer =
  | {
      ok: true
      status: ServiceStatus
      changes?: AppliedChange[]
      plan?: AppPlan
      /** The process that takes its place. */
      successor?: StartedProcess
    }
  /** The error of threadwise, or of whatever went wrong; `successor`: who may be asked instead. */
  | (Fault & { successor?: StartedProcess | undefined })

/** Its id alone may be that of another one later. */
export interface StartedProcess {
  readonly pid: number
  /** See process-start.ts. */
  readonly start: number
}

/** A longer line does not come from threadwise. */
export const MAX_LINE_BYTES = 1_000_000
/** Nor does a longer answer, in characters. A thousand instances take about half of it. */
export const MAX_ANSWER = 4_000_000

/**
 * Lets a service look whether its socket is still there. It means nothing to any other process, one of an older version included. Windows
 * has no signals: there it looks when its folder changes.
 */
export const WAKE_SIGNAL = process.platform === 'win32' ? undefined : 'SIGCONT'
