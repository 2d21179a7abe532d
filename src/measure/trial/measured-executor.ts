// An executor with a task as something to call again and again.

import type { Executor } from '../../runtime/executor/executor.js'
import type { LaneLoad } from './run-lanes.js'
import { freshArguments } from './fresh-arguments.js'
import type { CellPlan } from './trial.js'
import { bytesOf, type WorkloadProgram, type Workload } from './workload.js'

export type MakeExecutor = (cell: CellPlan, module: string) => Executor

export interface MeasuredExecutor extends LaneLoad {
  readonly executor: Executor
  /** Before what is timed. */
  prepare(): void
  /** Before the heap is looked at. */
  release(): void
}

export async function openExecutor(
  cell: CellPlan,
  workload: Workload,
  makeExecutor: MakeExecutor,
): Promise<MeasuredExecutor> {
  const executor = makeExecutor(cell, workload.module)
  await executor.ready
  const ownThread = !executor.capabilities.parallel
  const { source, variant, fresh = false, stream = false } = cell
  if (source.kind === 'task' && source.program !== undefined) {
    const { start } = (await import(source.program)) as WorkloadProgram
    return {
      executor,
      ownThread,
      prepare() {},
      release() {},
      call: await start(executor, ...workload.argumentsOf(variant, 0)),
    }
  }
  const task = workload.variants[variant]!
  const run = stream ? streamed(executor, task) : called(executor, task)
  const original = (call: number) => workload.argumentsOf(variant, call)
  // Only calls in this thread share their arguments with the caller: what crosses to another one is a copy.
  if (!fresh || !ownThread)
    return { executor, ownThread, prepare() {}, release() {}, call: (index) => run(original(index)) }
  const copies = freshArguments(original, bytesOf(original(0)) ?? 0)
  return {
    executor,
    ownThread,
    prepare: () => copies.prepare(),
    release: () => copies.release(),
    call: () => run(copies.take()),
  }
}

type Run = (args: readonly unknown[]) => Promise<unknown>

function called(executor: Executor, task: string): Run {
  const tasks = executor.tasks as Record<string, (...args: unknown[]) => Promise<unknown>>
  return (args) => tasks[task]!(...args)
}

function streamed(executor: Executor, task: string): Run {
  return async (args) => {
    let last: unknown
    for await (const piece of executor.stream(task as never, [...args] as never)) last = piece
    return last
  }
}
