// A trial of doctor as rows of text: before and after side by side, what was refused, and what to do.

import type { DoctorTrial, DoctorTrialRatio } from '../../results/doctor-result.js'
import { formatBytes, formatMs, formatRate, formatRatio } from './format-number.js'

export const TRIAL_COLUMNS = ['', 'before', 'after', 'after / before', '']

/** What, before, after, their ratio with its interval, and the verdict. */
export function trialRows({ before, after, ratios }: DoctorTrial): string[][] {
  if (before === null || after === null) return []
  const row = (what: string, path: string | null, metric: DoctorTrialRatio['metric'], figures: readonly [number | null, number | null], write: (value: number | null) => string) => { // prettier-ignore
    const found = ratios.find((each) => each.path === path && each.metric === metric)
    const ratio = found ? `${formatRatio(found.ratio.value)} (${formatRatio(found.ratio.low)} to ${formatRatio(found.ratio.high)})` : '' // prettier-ignore
    return [what, write(figures[0]), write(figures[1]), ratio, found ? wordFor(found) : '']
  }
  const paths = before.paths.flatMap(({ path, p50, p99 }, index) => [
    row(`${path} p50`, path, 'p50', [p50, after.paths[index]?.p50 ?? null], formatMs),
    row(`${path} p99`, path, 'p99', [p99, after.paths[index]?.p99 ?? null], formatMs),
  ])
  return [
    ...paths,
    row('requests that fit', null, 'throughput', [before.throughput, after.throughput], formatRate),
    row('event loop busy', null, 'busy', [before.busy, after.busy], share),
    row('event loop late (p99)', null, 'delay', [before.delayMs.p99, after.delayMs.p99], formatMs),
    row('CPU of a request', null, 'cpu', [before.cpuMs, after.cpuMs], formatMs),
    ['memory', formatBytes(before.memoryBytes), formatBytes(after.memoryBytes), '', ''],
  ]
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
  const all = functions.flatMap(({ notes }) => notes.map(({ file, line, text }) => `${file}:${line}: ${text}`))
  return [...new Set(all)]
}

/** Null: no patch is offered. */
export function applyCommand({ patchFile }: DoctorTrial): string | null {
  return patchFile === null ? null : `git apply ${patchFile} && npm install threadwise`
}
