// 'threadwise/measure': measuring workloads from a program.

export { measure } from './measure.js'
export type { MeasureOptions } from './options.js'
export { defineWorkload, type Inputs, type WorkloadDefinition } from './workload.js'
export type * from './result.js'
export type { Progress } from './rounds.js'
