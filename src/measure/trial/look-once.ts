// Trials that are asked once: bursts of calls, and the memory of workers that wait.

import { setTimeout as delay } from 'node:timers/promises'
import { mappedBytes, privateBytes } from '../machine/process-resources.js'
import { collectGarbage } from './collect-garbage.js'
import { openExecutor, type MakeExecutor } from './measured-executor.js'
import type { BurstTrial, CellPlan, MemoryTrial } from './trial.js'
import type { Workload } from './workload.js'

/** Starts `calls` calls at once, `bursts` times, and notes when each of them ends. */
export async function runBurst(
  workload: Workload,
  { cell, calls, bursts }: { cell: CellPlan; calls: number; bursts: number },
  makeExecutor: MakeExecutor,
): Promise<BurstTrial> {
  const load = await openExecutor(cell, workload, makeExecutor)
  await load.call(0)
  const endsMs: number[][] = []
  for (let burst = 0; burst < bursts; burst++) {
    const started = performance.now()
    const ends: number[] = []
    const noteEnd = () => ends.push(performance.now() - started)
    await Promise.all(Array.from({ length: calls }, (_, i) => load.call(i).then(noteEnd)))
    endsMs.push(ends)
  }
  return { kind: 'burst', endsMs }
}

/** The memory of the process once every worker has run the task a few times and has fallen idle. */
export async function runMemory(
  workload: Workload,
  cell: CellPlan,
  makeExecutor: MakeExecutor,
): Promise<MemoryTrial> {
  const load = await openExecutor(cell, workload, makeExecutor)
  await Promise.all(Array.from({ length: cell.size * 4 }, (_, i) => load.call(i)))
  await delay(200) // lets concurrent garbage collection and late compilation come to rest
  await collectGarbage()
  const { rss, virtual } = mappedBytes()
  return { kind: 'memory', rssBytes: rss, privateBytes: privateBytes(), virtualBytes: virtual }
}
