// 'threadwise/parallel': what users import; the comment below opens its page of the reference.

/**
 * Algorithms over any executor.
 *
 * @module threadwise/parallel
 */

export { filter } from './runtime/parallel/filter.js'
export { map, type MapOptions } from './runtime/parallel/map.js'
export { mapReduce, reduce, type MapReduceSteps, type ReduceOptions } from './runtime/parallel/reduce.js'
export { sort, type SortableArray, type SortOptions } from './runtime/parallel/sort.js'
export type { ParallelOptions } from './runtime/parallel/options.js'
