// Calls a task for each item, in chunks: what map and filter have in common.

import { CHUNKS_PER_WORKER, fixedSize, learnedSize } from '../executor/chunk-size.js'
import type { ChunkAnswer } from '../task/built-in.js'
import { RESERVED } from '../task/task-function.js'
import { chunksOf } from './chunk-source.js'
import type { ParallelOptions, ParallelPool } from './options.js'
import { runChunks, type ChunkResult } from './run-chunks.js'

/** Calls in flight for each worker, of tasks that wait. */
const WAITING_PER_WORKER = 1024

export interface EachItem {
  readonly name: string
  readonly items: object
  /** 'test': only whether the results are true. */
  readonly kernel: 'each' | 'test'
}

export function eachItem(
  pool: ParallelPool,
  { name, items, kernel }: EachItem,
  options: ParallelOptions,
): AsyncGenerator<ChunkResult<readonly unknown[]>> {
  const { chunk, concurrency, signal, onProgress } = options
  const { parallel } = pool.capabilities
  // Whoever says how many calls are open at a time, or what makes one call, means that no others start beside them.
  const isInTurn = chunk !== undefined || concurrency !== undefined
  const kernelName = isInTurn ? `${kernel}InTurn` : kernel
  const size = chunk === undefined ? learnedSize() : fixedSize(chunk)
  const source = chunksOf(items)
  const workers = () => Math.max(1, pool.size)
  const limit = () => {
    if (concurrency !== undefined) return concurrency
    if (!parallel) return workers() // of concurrent: its limit
    return workers() * (size.isAsync ? WAITING_PER_WORKER : CHUNKS_PER_WORKER)
  }
  return runChunks({
    task: name,
    source,
    limit,
    signal,
    size: () => size.next(source.remaining, workers()),
    answered: ({ length }) => length,
    async call(list, stop) {
      const answer = await callPatiently<ChunkAnswer>(pool, `${RESERVED}${kernelName}:${name}`, list, {
        signal: stop,
        onProgress,
      })
      size.learn(answer)
      return answer.results
    },
  })
}

/** By map(), which waits for room in a bounded queue instead of failing: these calls bound themselves. */
export async function callPatiently<Result>(
  pool: ParallelPool,
  name: string,
  input: unknown,
  options: Pick<ParallelOptions, 'signal' | 'onProgress'>,
): Promise<Result> {
  const [result] = (await pool.map(name, [input], options)) as Result[]
  return result!
}
