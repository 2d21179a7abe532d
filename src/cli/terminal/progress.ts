// Progress on standard error: one line that is rewritten on a terminal, a plain line for each round elsewhere.

import type { Progress } from '../../measure/rounds.js'
import { formatRate } from '../../measure/report/figures/format-number.js'

export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** All that the view itself needs to know of a step. */
interface Step {
  readonly round: number
  readonly done: number
  readonly total: number
}

export interface ProgressView<S> {
  note(text: string): void
  show(progress: S): void
  end(): void
}

export function createProgress(
  stream: ProgressStream,
  now: () => number = () => performance.now(),
): ProgressView<Progress> {
  return createProgressOf(stream, describe, now)
}

/** The same for steps of another kind; `textOf` describes one, with its time left. */
export function createProgressOf<S extends Step>(
  stream: ProgressStream,
  textOf: (step: S, secondsLeft: number) => string,
  now: () => number = () => performance.now(),
): ProgressView<S> {
  const clock = createClock(now)
  const isLive = stream.isTTY === true
  let isLineOpen = false
  let lastRound = 0

  const clear = () => {
    if (isLineOpen) stream.write('\r\x1b[K')
    isLineOpen = false
  }
  return {
    note(text) {
      clear()
      stream.write(`${text}\n`)
    },
    show(progress) {
      const text = textOf(progress, clock.secondsLeft(progress))
      if (isLive) {
        stream.write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`)
        isLineOpen = true
      } else if (progress.round !== lastRound || progress.done === 1) {
        lastRound = progress.round
        stream.write(`${text}\n`)
      }
    },
    end: clear,
  }
}

/** Where steps are counted from the start again, a new part has begun, whose steps take another time. */
function createClock(now: () => number) {
  let started = now()
  let last = { done: 0, at: started }
  return {
    secondsLeft({ done, total }: Step): number {
      if (done <= last.done) started = last.at
      last = { done, at: now() }
      return Math.round((((last.at - started) / done) * (total - done)) / 1000)
    },
  }
}

function describe({ round, rounds, done, total, cell, throughput }: Progress, left: number): string {
  const limit = `${cell.cpus} CPU${cell.cpus === 1 ? '' : 's'}`
  const name = cell.executor === 'inline' ? 'inline' : `${cell.executor} ${cell.size}`
  return `round ${round}/${rounds}, trial ${done}/${total}, about ${left} s left: ${cell.variant} on ${name} at ${limit}${outcome(throughput)}`
}

function outcome(throughput: number | null | undefined): string {
  if (throughput === undefined) return ''
  return throughput === null ? ': failed' : `: ${formatRate(throughput)}`
}
