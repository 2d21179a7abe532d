// 'threadwise': the executors, the CPU budget, the errors.

export { inline, type InlineOptions } from './inline/inline-executor.js'
export { concurrent, type ConcurrentOptions } from './concurrent/concurrent-executor.js'
export { threads, type ThreadsOptions } from './threads/threads-executor.js'
export { processes, type ProcessesOptions } from './processes/processes-executor.js'
export { adaptive, type AdaptiveOptions } from './adaptive/adaptive-executor.js'
export { executor, type ProfileOptions } from './executor-by-profile.js'
export { cpuBudget, wholeCpus, type CpuBudget } from './cpu/cpu-budget.js'
export type { Balance, ChooseWorker, WorkerLoad } from './pool/balance.js'
export { defineContext, type Context } from './task/define-context.js'
export { prometheusText } from './executor/prometheus-text.js'
export { move } from './task/move.js'
export { registerClass, type ClassLike, type ClassOptions } from './task/register-class.js'
export { isThreadwiseError, ThreadwiseError, type ErrorCode } from './errors.js'
export type {
  AdaptiveDecision,
  AdaptivePlace,
  Capabilities,
  Durations,
  Executor,
  ExecutorKind,
  ExecutorStats,
  RunOptions,
  StreamOptions,
  Tasks,
  WorkerStats,
} from './executor/executor.js'
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
} from './executor/executor.js'
