// What the way through a queue costs, beside the best that this machine does without one.

import { maxBy, worked, type FindingContext } from './context.js'
import { cpusOf, duration, giving, nameOf, times } from './wording.js'
import type { Reason } from '../results/result.js'

/** Through the queue it makes at least this share of the calls: the jobs are long enough for it. */
const WORTH_A_QUEUE = 0.9

export function throughQueue({ task, cells, cpus, scout }: FindingContext): Reason | null {
  const all = worked(cells)
  const queue = all.find(({ executor }) => executor === 'bullmq')
  const local = maxBy(
    all.filter((cell) => cell.executor !== 'bullmq'),
    (cell) => cell.throughput.median,
  )
  if (queue === undefined || local === undefined || local.throughput.median === 0) return null
  const share = queue.throughput.median / local.throughput.median
  const mainUs = queue.mainCpuSecondsPerTask === null ? null : 1e6 * queue.mainCpuSecondsPerTask
  const cost =
    mainUs === null || scout === null
      ? ''
      : ` A job takes ${duration(mainUs)} of the threads that send and take it, copies included, and ${duration(scout.callUs)} of a worker.`
  const evidence = { share, ...(mainUs !== null && { mainUs }) }
  const given = `${giving(queue)} ${times(share)} the calls of ${nameOf(local)}`
  const machines = Math.ceil(1 / Math.max(share, 1e-6))
  const isWorth = share >= WORTH_A_QUEUE
  const sentence = isWorth
    ? `Through the queue ${task} loses little: ${given} at ${cpusOf(cpus)}, and each further machine adds as many.`
    : `Stay on one machine with ${task}: at ${cpusOf(cpus)} ${given}, so it takes ${machines} such machines to do the work of this one.`
  return {
    id: 'through-queue',
    level: 'hint',
    sentence: sentence + cost,
    evidence: isWorth ? evidence : { ...evidence, machines },
  }
}
