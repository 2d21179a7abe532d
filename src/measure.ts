// 'threadwise/measure': what users import; the comment below opens its page of the reference.

/**
 * Measuring tasks and servers, and HTTP load: what the commands `measure` and `load` do, for programs.
 *
 * @module threadwise/measure
 */

export { measure } from './measure/measure.js'

export { defineWorkload, type Inputs, type WorkloadDefinition } from './measure/trial/workload.js'
export { load } from './measure/load/load.js'
export type * from './measure/results/load-result.js'
export type { LoadOptions, LoadProgress } from './measure/load/options.js'
export type * from './measure/results/result.js'
export type { MeasureOptions, Progress } from './measure/options.js'
export { measureServer } from './measure/server/measure-server.js'
export type { MeasureServerOptions } from './measure/server/options.js'
export type { ServerPhase, ServerProgress } from './measure/server/options.js'
export type * from './measure/results/server-result.js'
export { compareServers, type CompareServersOptions } from './measure/compare/compare-servers.js'
export { compare } from './measure/compare/compare.js'
export type {
  CompareOptions,
  CompareProgress,
  VersionGiven,
  VersionOptions,
} from './measure/compare/options.js'
export type * from './measure/results/compare-result.js'
