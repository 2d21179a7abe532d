// 'threadwise/parallel': algorithms over any executor.

export { filter } from './filter.js'
export { map, type MapOptions } from './map.js'
export { mapReduce, reduce, type MapReduceSteps, type ReduceOptions } from './reduce.js'
export { sort, type SortableArray, type SortOptions } from './sort.js'
export type { ParallelOptions } from './options.js'
