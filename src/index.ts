// 'threadwise': what users import; the comment below opens its page of the reference.

/**
 * The executors, contexts and classes, the CPU budget, metrics and errors.
 *
 * @example
 * import { threads } from 'threadwise'
 * const pool = threads(new URL('./tasks.js', import.meta.url), { size: 2 })
 * const html = await pool.tasks.render(data)
 * await pool.close()
 *
 * @module threadwise
 */

export { inline, type InlineOptions } from './runtime/local/inline-executor.js'
export { concurrent, type ConcurrentOptions } from './runtime/local/concurrent-executor.js'
export type { LoadedModule } from './runtime/executor/task-module.js'
export type { AllTasks, NamedModules } from './runtime/task/named-modules.js'
export { threads, type ThreadsOptions } from './runtime/threads/threads-executor.js'
export { processes, type ProcessesOptions } from './runtime/processes/processes-executor.js'
export { adaptive, type AdaptiveOptions } from './runtime/adaptive/adaptive-executor.js'
export { executor, type ProfileOptions } from './runtime/profile/executor-by-profile.js'
export {
  cpuBudget,
  wholeCpus,
  type CpuBudget,
  type CpuBudgetOptions,
  type CpuSource,
} from './cpu/cpu-budget.js'
export type { QuotaLevel } from './cpu/cgroup-quota.js'
export type { Recycle, ResourceLimits } from './runtime/pool/pool-options.js'
export type { Output, OutputStreams } from './runtime/pool/workers/print-output.js'
export type { FailedWorker } from './runtime/core/worker-errors.js'
export type { WhenFull } from './runtime/executor/shared-options.js'
export type { HostFunctions } from './runtime/task/host.js'
export type { TaskFunction } from './runtime/task/task-function.js'
export type { Balance, ChooseWorker, WorkerLoad } from './runtime/pool/balance.js'
export { defineContext, type Context } from './runtime/task/define-context.js'
export { prometheusText } from './runtime/executor/executor-metrics.js'
export { callback } from './runtime/task/callback.js'
export { move } from './runtime/task/move.js'
export { registerClass, type ClassLike, type ClassOptions } from './runtime/task/register-class.js'
export { isThreadwiseError, ThreadwiseError, type ErrorCode } from './errors/errors.js'
export type {
  AdaptiveDecision,
  AdaptivePlace,
  Capabilities,
  Durations,
  Executor,
  ExecutorStats,
  RunOptions,
  Size,
  StreamOptions,
  Tasks,
  WorkerStats,
} from './runtime/executor/executor.js'
export type { ExecutorKind } from './runtime/executor/stats.js'
export type {
  ProfileChoice,
  StreamName,
  TaskArguments,
  TaskItem,
  TaskModule,
  TaskName,
  TaskResult,
  TaskStream,
  Transferable,
} from './runtime/executor/executor.js'
