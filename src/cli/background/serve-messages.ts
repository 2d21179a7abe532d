// What a command and the process that serves for it say to each other, over the channel between parent and child.

import { reviveThreadwiseError, type ErrorCode } from '../../errors/errors.js'
import type { AppPlan } from '../../serve/apps/app-plan.js'

/** The first message. */
export interface StartServing {
  plan: AppPlan
  isBackground: boolean
  /** Whether who started it has one, and it is to stop when that is closed. */
  hasTerminal: boolean
  /** A first start that fails is tried again. */
  isPatient: boolean
  /** The file to which its standard error goes, until the name is its own. */
  errors?: string
  /** The process whose place it takes, when that has ended. */
  replaces?: { pid: number; start: number }
}

/** The messages that follow. */
export type ToServing = 'stop' | 'kill' | 'reload'

export type FromServing =
  /** `isDeaf`: it has listened on no port yet. */
  | { type: 'serving'; pid: number; instances: number; isDeaf: boolean }
  /** It waits for the process that it replaces to end. */
  | { type: 'waiting' }
  | FailedServing

/** The error of threadwise, or of whatever went wrong; `isTrying`: it goes on trying. */
export interface FailedServing {
  type: 'failed'
  code: string | null
  message: string
  isTrying: boolean
}

/** As it was thrown there; `more` is put behind its message. */
export function errorOf({ code, message }: FailedServing, more = ''): Error {
  const text = message + more
  if (code === null) return new Error(text)
  return Object.assign(reviveThreadwiseError(text), { code: code as ErrorCode })
}
