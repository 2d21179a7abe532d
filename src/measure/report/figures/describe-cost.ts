// What a look at a running process cost it, in sentences.

import type { DoctorCost } from '../../results/doctor-result.js'
import { formatMs, formatPlain } from './format-number.js'

export function describeCost(cost: DoctorCost): string {
  const { countSeconds, countSlower, profileSeconds, profileSlower } = cost
  const seconds = (value: number) => `${formatPlain(Math.round(value * 10) / 10)} s`
  const parts = [
    ...(countSeconds > 0 ? [`${seconds(countSeconds)} of counting calls${timesOf(countSlower)}`] : []),
    `${seconds(profileSeconds)} of profiling${timesOf(profileSlower)}`,
  ]
  return `What it cost the process: ${inspectorUse(cost)}; ${parts.join('; ')}. ${rest(cost)}`
}

function inspectorUse({ by, inspectorMs }: DoctorCost): string {
  if (by === 'socket') return 'no inspector was opened'
  return inspectorMs === 0
    ? 'its inspector had been open before, and still is'
    : `its inspector was open to any user of this machine for ${formatMs(inspectorMs)}`
}

function rest({ by, inspectorLeftAt, inspectorMs }: DoctorCost): string {
  if (inspectorLeftAt !== null) return 'It goes on without the rest of that.'
  const hint = ' Started with --import threadwise/doctor/register it would need no inspector.'
  return `It goes on without any of that.${by === 'inspector' && inspectorMs > 0 ? hint : ''}`
}

function timesOf(slower: number | null): string {
  return slower === null
    ? ''
    : `, in which a request took ${Number(slower.toPrecision(2))} times the CPU time`
}
