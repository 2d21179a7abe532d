// The result of a load run as text for a terminal: what was done, how fast it went, how long answers took, what failed.

import type { LoadResult } from '../../results/load-result.js'
import { formatCount, formatMs, formatPercent, formatPlain, formatRate } from '../figures/format-number.js'
import type { Canvas } from './paint.js'
import { hangingText, wrapText } from './plain-text.js'

/** A percentile that fewer than this many requests lie beyond is marked: one outlier more would move it. */
const REQUESTS_BEYOND = 10
const LABEL_WIDTH = 9
const TIME_WIDTH = 10
const MAX_BAR = 50

const percentiles = [
  ['p50', 'p50', 0.5],
  ['p90', 'p90', 0.9],
  ['p99', 'p99', 0.99],
  ['p99.9', 'p999', 0.999],
  ['max', 'max', 1],
] as const

export function formatLoadResult(result: LoadResult, canvas: Canvas): string[][] {
  const { paint, width } = canvas
  const lines = (text: string, brush = (line: string) => line) => wrapText(text, width).map(brush)
  return [
    [...lines(whatWasDone(result)), ...lines(headline(result), paint.strong)],
    latencyLines(result, canvas),
    outcomeLines(result, canvas),
    cautions(result).flatMap((text) => lines(text, paint.warning)),
    lines(aboutGenerator(result), result.limited ? paint.failure : paint.faint),
  ]
}

function whatWasDone({ settings, url, loop, seconds, complete }: LoadResult): string {
  const { rate, poisson, connections, pipelining, method, warmup } = settings
  const way =
    loop === 'open'
      ? `${formatCount(rate)} requests/s due at ${poisson ? 'random (Poisson)' : 'even'} times, on at most ${plural(connections, 'connection')}`
      : `as fast as it answers, on ${plural(connections, 'connection')}${pipelining > 1 ? `, ${pipelining} requests ahead on each` : ''}`
  const time = `${formatPlain(seconds)} s${warmup > 0 ? ` after ${formatPlain(warmup)} s of warm-up` : ''}`
  return `${method} ${url}: ${way}, for ${time}.${complete ? '' : ' Interrupted.'}`
}

function headline({ throughput, requests, errors }: LoadResult): string {
  const failed = errors === 0 ? 'no errors' : `${plural(errors, 'error')}`
  return `${formatRate(throughput)} answered: ${plural(requests, 'request')}, ${failed}.`
}

function latencyLines(result: LoadResult, { paint, width }: Canvas): string[] {
  const { latency, requests, errorsByKind, loop } = result
  const longest = latency.max
  if (longest === null) return []
  const room = Math.min(MAX_BAR, width - LABEL_WIDTH - TIME_WIDTH - 4)
  const counted = requests + errorsByKind.timeout
  let isMarked = false
  const rows = percentiles.map(([label, name, p]) => {
    const value = latency[name] ?? 0
    const isWeak = p < 1 && counted * (1 - p) < REQUESTS_BEYOND - 1e-6
    isMarked ||= isWeak
    const time = `${isWeak ? '~' : ''}${formatMs(value)}`.padStart(TIME_WIDTH)
    return `  ${label.padEnd(LABEL_WIDTH - 2)}${time}  ${bar(longest > 0 ? value / longest : 0, room)}`
  })
  const from = loop === 'open' ? 'from when the request was due' : 'from when the request was sent'
  const note = `  ~ fewer than ${REQUESTS_BEYOND} requests took longer`
  return [paint.strong(`Latency, ${from}`), ...rows, ...(isMarked ? [paint.faint(note)] : [])]
}

/** Never empty, and finer than a character. */
function bar(share: number, room: number): string {
  const eighths = Math.max(1, Math.round(share * room * 8))
  const rest = eighths % 8
  return '█'.repeat(Math.floor(eighths / 8)) + (rest > 0 ? String.fromCharCode(0x2590 - rest) : '')
}

function outcomeLines(
  { statuses, errorsByKind, messages, unfinished }: LoadResult,
  canvas: Canvas,
): string[] {
  const { paint, width } = canvas
  const answers = Object.entries(statuses).map(([status, count]) => ({ status: Number(status), count }))
  const lines = answers.map(({ status, count }) =>
    (status >= 400 ? paint.failure : String)(`  ${`status ${status}`.padEnd(LABEL_WIDTH + 3)}${count}`),
  )
  for (const [kind, count] of Object.entries(errorsByKind)) {
    if (count === 0) continue
    const text = `${count} (first: ${messages[kind as keyof typeof messages] ?? 'unknown'})`
    lines.push(...hangingText(`  ${kind.padEnd(LABEL_WIDTH + 3)}`, text, width).map(paint.failure))
  }
  if (unfinished > 0) lines.push(`  ${'unfinished'.padEnd(LABEL_WIDTH + 3)}${unfinished}`)
  return lines.length === 0 ? [] : [paint.strong('Answers and errors'), ...lines]
}

/** What a reader could take the figures for, and they are not. */
function cautions(result: LoadResult): string[] {
  const { loop, statuses, errorsByKind, requests, resent, waited, settings } = result
  const refused = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (Number(status) >= 400 ? count : 0),
    0,
  )
  const texts = []
  const redirected = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (/^30[1278]$/.test(status) ? count : 0),
    0,
  )
  if (requests + result.errors + result.unfinished === 0)
    texts.push('No request was due in the measured time: measure longer, or at a higher rate.')
  else if (requests === 0 && errorsByKind.protocol > 0)
    texts.push(`What came is no answer of HTTP/1.1. Is this the address of an HTTP server: ${result.url}?`)
  else if (requests === 0)
    texts.push(`Nothing answered. Is the server running, and is this its address: ${result.url}?`)
  else if (loop === 'closed')
    texts.push(
      'In a closed loop a server that stalls is asked less, so these latencies flatter it. For honest ones use --rate with less than this throughput.',
    )
  if (redirected > 0)
    texts.push(
      `${formatPercent((100 * redirected) / requests)} of the answers lead elsewhere (redirects), and are not followed: load the address that they lead to.`,
    )
  if (refused > 0)
    texts.push(
      `${formatPercent((100 * refused) / requests)} of the answers were refusals (status 400 and above). They count in the latencies, and are often faster than real work.`,
    )
  if (errorsByKind.timeout > 0)
    texts.push(
      `Requests that timed out count in the latencies with the time after which they were given up; the server would have taken longer.`,
    )
  if (resent > 0)
    texts.push(
      `${plural(resent, 'request')} of the whole run had no answer when the server closed the connection without a word after an earlier one, and went again on a new connection. A server that ends connections so says "Connection: close" before; one that crashes looks the same.`,
    )
  if (waited > 0)
    texts.push(
      `${plural(waited, 'request')} found all ${settings.connections} connections busy and waited; that time counts. If the server could do more at once, allow more with --connections.`,
    )
  return texts
}

function aboutGenerator({ generatorCpu, sendDelay, limited, limitedBecause }: LoadResult): string {
  if (limited)
    return `The generator was the bottleneck: ${limitedBecause}. The figures are about it, not about the server.`
  const cpu = `The generator used ${formatPercent(generatorCpu * 100)} of one core`
  const late =
    sendDelay?.p99 == null ? '' : ` and sent 99 % of the requests within ${formatMs(sendDelay.p99)}`
  return `${cpu}${late}: it was not the bottleneck.`
}

function plural(count: number, word: string): string {
  return `${formatPlain(count)} ${word}${count === 1 ? '' : 's'}`
}
