// What a command and the process that serves for it say to each other, over the channel between parent and child.

import type { AppPlan } from '../../serve/apps/app-plan.js'

/** The first message. */
export interface StartServing {
  plan: AppPlan
  isBackground: boolean
  /** Whether who started it has one, and it is to stop when that is closed. */
  hasTerminal: boolean
}

/** The messages that follow. */
export type ToServing = 'stop' | 'kill' | 'reload'

export type FromServing =
  | { type: 'serving'; pid: number; instances: number }
  /** The error of threadwise, or of whatever went wrong. */
  | { type: 'failed'; code: string | null; message: string }
