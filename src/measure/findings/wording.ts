// The words that advice and findings share: cells, ratios, times and sizes as a person would say them.

import type { Cell, Interval } from '../results/result.js'

/** "inline", "2 threads", "1 process", "2 workers of a queue (bullmq)", "8 calls at once (concurrent)", with the libuv pool if it was set. */
export function nameOf(cell: Cell): string {
  const uv = cell.uv === null ? '' : ` with UV_THREADPOOL_SIZE=${cell.uv}`
  return nameWithoutUv(cell) + uv
}

/** "2 threads give", "1 thread gives". */
export function giving(cell: Cell): string {
  const many = cell.executor !== 'inline' && cell.size > 1
  return `${nameOf(cell)} ${many ? 'give' : 'gives'}`
}

/** Where the task goes: "inline", "on 2 threads", "with 8 calls at once (concurrent)". */
export function placeOf(cell: Cell): string {
  const prepositions = { inline: '', concurrent: 'with ', threads: 'on ', processes: 'on ', bullmq: 'on ' }
  return prepositions[cell.executor] + nameOf(cell)
}

/** "0.6 CPU", "1 CPU", "2 CPUs". */
export function cpusOf(cpus: number): string {
  return `${Number(cpus.toFixed(2))} CPU${cpus > 1 ? 's' : ''}`
}

/** "1.86x". */
export function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 99.5 ? 2 : 0)}x`
}

/** "0.97-1.05". */
export function range({ low, high }: Interval): string {
  return `${low.toFixed(2)}-${Number.isFinite(high) ? high.toFixed(2) : 'unknown'}`
}

/** Below a millisecond nobody notices that the loop is late; above, a difference by this factor is one. */
const NOTICED = { ms: 1, factor: 1.25 }

/**
 * ", and the loop is 4 ms late instead of 26 (p99)", or that it is the same either way. Empty where it is not known.
 *
 * @param joint ", and" where the cell is what is advised, "; with" where it is only the nearest
 */
export function loopClause(inline: Cell, cell: Cell, joint: ', and' | '; with'): string {
  const [own, other] = [inline.loopDelay.p99, cell.loopDelay.p99]
  if (own === null || other === null) return ''
  const isAlike = Math.max(own, other) < NOTICED.ms || Math.max(own / other, other / own) < NOTICED.factor
  if (isAlike)
    return `${joint === ', and' ? ', and' : ';'} the loop is ${duration(1000 * own)} late (p99) either way`
  const from = `${duration(1000 * other)} late (p99)`
  return joint === ', and'
    ? `, and the loop is ${from} instead of ${duration(1000 * own)}`
    : `; with ${pronoun(cell)} the loop is ${from} instead of ${duration(1000 * own)}`
}

function pronoun({ size }: Cell): string {
  return size > 1 ? 'them' : 'it'
}

/** "950 ns", "12 µs", "3.4 ms", "1.2 s". */
export function duration(microseconds: number): string {
  if (microseconds < 1) return `${Math.round(microseconds * 1000)} ns`
  if (microseconds < 999.5) return `${figures(microseconds)} µs`
  if (microseconds < 999_500) return `${figures(microseconds / 1000)} ms`
  return `${figures(microseconds / 1e6)} s`
}

/** "640 B", "12 KiB", "3.4 MiB". */
export function bytes(count: number): string {
  if (count < 1024) return `${Math.round(count)} B`
  if (count < 1024 ** 2) return `${figures(count / 1024)} KiB`
  return count < 1024 ** 3 ? `${figures(count / 1024 ** 2)} MiB` : `${figures(count / 1024 ** 3)} GiB`
}

/** "70 %", of a value that is in percent already. */
export function percent(value: number): string {
  return value > 0 && value < 1 ? `${figures(value)} %` : `${Math.round(value)} %`
}

/** "a, b and c". */
export function listing(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

/** Characters: what cannot be sent, and why, fits into it. */
const MAX_QUOTED = 160

/** An error message fit for the inside of a sentence: its first line, without the full stop, and not too long; whole sentences of it where that does. */
export function quoted(message: string): string {
  const line = (message.split('\n')[0] ?? '')
    .trim()
    .replace(/\.$/, '')
    .replace(/ThreadwiseError: (A worker could not start \S+: )?/, (_, start?: string) =>
      start ? 'it does not load: ' : '',
    )
    .replace(/(it does not load: .*)\. Check that the file loads.*$/, '$1')
  if (line.length <= MAX_QUOTED) return line
  const end = line.lastIndexOf('. ', MAX_QUOTED)
  return end > MAX_QUOTED / 2 ? line.slice(0, end) : `${line.slice(0, MAX_QUOTED - 1)}…`
}

/** Names that fit into a sentence. */
const NAMED = 3

/** "2 threads, 2 processes and 3 more". */
export function namesOf(cells: readonly Cell[]): string {
  const names = cells.slice(0, NAMED).map(nameOf)
  if (cells.length > NAMED) names.push(`${cells.length - NAMED} more`)
  return listing(names)
}

/** A sentence as part of another one: without its full stop, and in lower case unless it starts with an abbreviation. */
export function asClause(sentence: string): string {
  return quoted(sentence).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
}

function nameWithoutUv({ executor, size }: Cell): string {
  if (executor === 'inline') return 'inline'
  if (executor === 'concurrent') return `${size} call${size === 1 ? '' : 's'} at once (concurrent)`
  if (executor === 'threads') return `${size} thread${size === 1 ? '' : 's'}`
  if (executor === 'processes') return `${size} process${size === 1 ? '' : 'es'}`
  return `${size} worker${size === 1 ? '' : 's'} of a queue (bullmq)`
}

/** Two figures below 10, whole numbers above: "1.2", "12", "120". */
function figures(value: number): string {
  return value < 9.95 ? String(Number(value.toPrecision(2))) : String(Math.round(value))
}
