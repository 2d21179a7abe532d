// How a call is handed on, from one layer of an executor to the next: the first may bound it, the last has it run.

import type { RunOptions } from './executor.js'

export type Submit<Result = unknown> = (
  name: string,
  args: readonly unknown[],
  options: RunOptions | undefined,
) => Promise<Result>

/** Takes a fork elsewhere; undefined: whoever asks must take it. */
export type ForkTo = (...call: Parameters<Submit>) => Promise<unknown> | undefined
