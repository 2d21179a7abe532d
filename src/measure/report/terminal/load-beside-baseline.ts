// What a load run gives beside an earlier one: before and after a change.
//
// The two ran at different times, so a machine that was slower meanwhile looks like a slower server. The text says so where they are near
// each other; `threadwise compare --server` takes turns, and knows how far it can be trusted.

import type { LoadResult } from '../../results/load-result.js'
import { formatCount, formatMs, formatRate, formatRatio } from '../figures/format-number.js'

/** Between two runs at different times a smaller difference tells nothing: the same server differs by as much. */
const NEAR = 1.2

/** The name of the file, and the run that it holds. */
export interface LoadBaseline {
  readonly file: string
  readonly result: LoadResult
}

/** Whether a file holds what is read here. */
export function isLoadResult(value: unknown): boolean {
  const { url, loop, settings, latency, statuses, throughput, requests } = (value ??
    {}) as Partial<LoadResult>
  const isUrl = typeof url === 'string' && URL.canParse(url)
  const hasFigures = typeof throughput === 'number' && typeof requests === 'number'
  const hasParts = [settings, latency, statuses].every((part) => typeof part === 'object' && part !== null)
  return isUrl && (loop === 'open' || loop === 'closed') && hasFigures && hasParts
}

/** Sentences. */
export function besideBaseline(now: LoadResult, { file, result: before }: LoadBaseline): string[] {
  const different = differentSettings(now, before)
  if (different !== null) return [`Not compared with ${file}: ${different}.`]
  const doubts = [doubtOf(before, file), doubtOf(now, 'this run')].filter((each) => each !== null)
  if (doubts.length > 0) return [`Not compared with ${file}: ${doubts.join(', and ')}.`]
  const told = now.loop === 'open' ? [] : [ratesOf(now, before)]
  for (const name of ['p50', 'p99'] as const) {
    const [value, earlier] = [now.latency[name], before.latency[name]]
    if (value !== null && earlier !== null)
      told.push(`${name} ${formatMs(value)} instead of ${formatMs(earlier)}`)
  }
  const sentences = [`Beside ${file}: ${told.join(', ')}.`]
  if (isNear(now, before))
    sentences.push(
      `So little may be the machine, which was measured at two times: threadwise compare --server takes turns.`,
    )
  return sentences
}

function ratesOf(now: LoadResult, before: LoadResult): string {
  const ratio = `${formatRatio(now.throughput / before.throughput)}x`
  return `${ratio} the answers (${formatRate(now.throughput)} instead of ${formatRate(before.throughput)})`
}

/** Only the same load shows what the server does. */
function differentSettings(now: LoadResult, before: LoadResult): string | null {
  const names = ['rate', 'poisson', 'connections', 'pipelining', 'method'] as const
  if (pageOf(now) !== pageOf(before)) return `it asked for ${pageOf(before)}, and this run for ${pageOf(now)}`
  for (const name of names) {
    const [value, earlier] = [now.settings[name], before.settings[name]]
    if (value !== earlier)
      return `it had ${settingOf(name, earlier)}, and this run has ${settingOf(name, value)}`
  }
  return null
}

function settingOf(name: string, value: number | string | boolean | null): string {
  if (name === 'rate') return value === null ? 'no --rate' : `--rate ${formatCount(Number(value))}`
  if (name === 'poisson') return value === true ? '--poisson' : 'no --poisson'
  return `--${name} ${value}`
}

function doubtOf({ limited, requests, errors, statuses, complete }: LoadResult, name: string): string | null {
  if (limited) return `in ${name} the generator was the bottleneck`
  const refused = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (Number(status) >= 400 ? count : 0),
    0,
  )
  if (requests === 0) return `in ${name} nothing was answered`
  if (errors + refused > MAX_FAILED * (requests + errors)) return `in ${name} requests failed`
  return complete ? null : `${name} was interrupted`
}

const MAX_FAILED = 0.05

/** Ports differ where each version has its own server. */
function pageOf({ url }: LoadResult): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function isNear(now: LoadResult, before: LoadResult): boolean {
  const pairs =
    now.loop === 'open' ? [[now.latency.p50, before.latency.p50]] : [[now.throughput, before.throughput]]
  return pairs.every(([a, b]) => {
    const ratio = Number(a) / Number(b)
    return ratio < NEAR && ratio > 1 / NEAR
  })
}
