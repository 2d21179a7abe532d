// A trial of doctor as rows of text: before and after side by side, what was refused, and what to do.

import type { DoctorTrial, DoctorTrialFigures, DoctorTrialRatio } from '../../results/doctor-result.js'
import { formatBytes, formatMs, formatRate, formatRatio } from './format-number.js'

export const TRIAL_COLUMNS = ['', 'before', 'after', 'after / before', '']

interface Row {
  readonly what: string
  readonly path?: string
  readonly metric: DoctorTrialRatio['metric']
  readonly of: (figures: DoctorTrialFigures) => number | null
  readonly write: (value: number | null) => string
}

/** What, before, after, their ratio with its interval, and the verdict. */
export function trialRows({ before, after, ratios }: DoctorTrial): string[][] {
  if (before === null || after === null) return []
  const rows = rowsFor(before).map(({ what, path = null, metric, of, write }) => {
    const found = ratios.find((each) => each.path === path && each.metric === metric)
    return [
      what,
      write(of(before)),
      write(of(after)),
      found ? ratioText(found) : '',
      found ? wordFor(found) : '',
    ]
  })
  const memory =
    before.memoryBytes && after.memoryBytes ? formatRatio(after.memoryBytes / before.memoryBytes) : ''
  return [...rows, ['memory', formatBytes(before.memoryBytes), formatBytes(after.memoryBytes), memory, '']]
}

function rowsFor({ paths }: DoctorTrialFigures): Row[] {
  const ofPath = (path: string, metric: 'p50' | 'p99'): Row => ({
    what: `${path} ${metric}`,
    path,
    metric,
    write: formatMs,
    of: (figures) => figures.paths.find((each) => each.path === path)?.[metric] ?? null,
  })
  return [
    ...paths.flatMap(({ path }) => [ofPath(path, 'p50'), ofPath(path, 'p99')]),
    {
      what: 'requests answered at full load',
      metric: 'throughput',
      of: ({ throughput }) => throughput,
      write: formatRate,
    },
    { what: 'event loop busy', metric: 'busy', of: ({ busy }) => busy, write: share },
    { what: 'event loop late (p99)', metric: 'delay', of: ({ delayMs }) => delayMs.p99, write: formatMs },
    { what: 'CPU of a request', metric: 'cpu', of: ({ cpuMs }) => cpuMs, write: formatMs },
  ]
}

function ratioText({ ratio: { value, low, high } }: DoctorTrialRatio): string {
  return `${formatRatio(value)} (${formatRatio(low)} to ${formatRatio(high)})`
}

function wordFor({ metric, verdict }: DoctorTrialRatio): string {
  if (verdict === 'same' || verdict === 'cannot-tell') return verdict === 'same' ? 'same' : 'cannot tell'
  const isTime = /^p\d/.test(metric)
  return verdict === 'faster' ? (isTime ? 'faster' : 'better') : isTime ? 'slower' : 'worse'
}

function share(value: number | null): string {
  return value === null ? '' : `${Math.round(100 * value)} %`
}

export function refusedTexts({ refused }: DoctorTrial): string[] {
  return refused.map(({ name, file, line, reason }) => `${name} (${file}:${line}): ${reason}`)
}

export function noteTexts({ functions }: DoctorTrial): string[] {
  const all = functions.flatMap(({ notes }) =>
    notes.map(({ file, line, text }) => `${file}:${line}: ${text}`),
  )
  return [...new Set(all)]
}
