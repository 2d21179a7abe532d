// How much time the samples of a CPU profile stand for, by node: that until the next one.
//
// On a busy machine this may be many times the usual one, since the app, or what takes the samples, had no CPU. That is no time of the function
// that happened to run: such a sample counts for little more than others, and what is left over falls on all that is busy.

import type { Profiler } from 'node:inspector'

/** Of the usual time between two samples. */
const MOST = 2

export function selfTimes(profile: Profiler.Profile): Map<number, number> {
  const { nodes, samples = [] } = profile
  const times = timesUntilNext(profile)
  const most = MOST * median(times)
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id),
  )
  const busy = times.filter((_, at) => !idle.has(samples[at]!))
  const scale = sum(busy) / Math.max(1, sum(busy.map((us) => Math.min(us, most))))
  const selfUs = new Map<number, number>()
  samples.forEach((id, at) => {
    const us = idle.has(id) ? times[at]! : Math.min(times[at]!, most) * scale
    selfUs.set(id, (selfUs.get(id) ?? 0) + us)
  })
  return selfUs
}

/** Microseconds. V8 may take two samples at the same time, in any order. */
function timesUntilNext({ samples = [], timeDeltas = [], startTime, endTime }: Profiler.Profile): number[] {
  const left = endTime - startTime - sum(timeDeltas)
  return samples.map((_, at) => Math.max(0, timeDeltas[at + 1] ?? left))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
