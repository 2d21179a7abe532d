// What a look at a running process cost it, in sentences.

import type { DoctorCost } from '../../results/doctor-result.js'
import { formatMs, formatPlain } from './format-number.js'

export function describeCost(cost: DoctorCost): string {
  const { inspectorMs, countSeconds, countSlower, profileSeconds, profileSlower } = cost
  const opened =
    inspectorMs === 0
      ? 'its inspector had been open before, and still is'
      : `its inspector was open, for this machine alone, for ${formatMs(inspectorMs)}`
  const seconds = (value: number) => `${formatPlain(Math.round(value * 10) / 10)} s`
  const parts = [
    ...(countSeconds > 0 ? [`${seconds(countSeconds)} of counting calls${timesOf(countSlower)}`] : []),
    `${seconds(profileSeconds)} of profiling${timesOf(profileSlower)}`,
  ]
  return `What it cost the process: ${opened}; ${parts.join('; ')}. It goes on without any of that.`
}

function timesOf(slower: number | null): string {
  return slower === null
    ? ''
    : `, in which a request took ${Number(slower.toPrecision(2))} times the CPU time`
}
