// 'threadwise/measure': measuring workloads from a program.

export { measure } from './measure.js'
export type { MeasureOptions } from './options.js'
export { defineWorkload, type Inputs, type WorkloadDefinition } from './workload.js'
export { load } from '../load/load.js'
export type * from '../load/load-result.js'
export type { LoadOptions, LoadProgress } from '../load/options.js'
export type * from './result.js'
export type { Progress } from './rounds.js'
export { measureServer } from '../measure-server/measure-server.js'
export type { MeasureServerOptions } from '../measure-server/options.js'
export type { ServerProgress } from '../measure-server/server-rounds.js'
export type * from '../measure-server/server-result.js'
