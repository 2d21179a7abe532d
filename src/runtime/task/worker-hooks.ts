// What a task module does in each worker before its first call, and after its last: its exports setup() and teardown().

import type { WorkerInfo, WorkerPlace } from './task-context.js'

/** What setup() and teardown() are told. */
export interface WorkerSetup extends WorkerInfo {
  /** What the executor was given as `workerData`. */
  readonly workerData: unknown
}

export type Hook = (worker: WorkerSetup) => unknown

/** None of them is a task. */
export const HOOKS = ['setup', 'teardown'] as const

export type Hooks = { readonly [Name in (typeof HOOKS)[number]]: Hook | undefined }

/** Rejects as the hook does. */
export async function runHook(hook: Hook | undefined, place: WorkerPlace): Promise<void> {
  if (hook) await hook({ ...place.info, workerData: place.workerData })
}

/** As `setup` does. First it says that it begins, where what it opens is for a `teardown` to close. */
export function setUp(
  { setup, teardown }: Hooks,
  place: WorkerPlace,
  post: (message: { type: 'sets-up' }) => void,
): Promise<void> {
  if (setup && teardown) post({ type: 'sets-up' })
  return runHook(setup, place)
}
