// Collects garbage, and says what stays.

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * The bytes that stay after a collection. Twice, with a turn of the event loop between: the memory of buffers is freed by callbacks
 * after the first one. The flag changes nothing for the user's code.
 */
export async function collectGarbage(): Promise<number> {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external // process.memoryUsage() opens a file, and the task may have used up all there are
}
