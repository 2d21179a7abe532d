// Progress on standard error: one line that is rewritten on a terminal, a plain line for each part of the work elsewhere.

import type { Progress } from '../../measure/options.js'
import { formatCpuLimit, formatRatio } from '../../measure/report/figures/format-number.js'

export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressView<S> {
  note(text: string): void
  show(progress: S): void
  end(): void
}

/** What a step is called, and the part of the work that it belongs to. */
export interface StepText {
  readonly text: string
  readonly part: string
}

export function createProgress(stream: ProgressStream): ProgressView<Progress> {
  return createProgressOf(stream, describe)
}

/** The same for steps of another kind. */
export function createProgressOf<S>(stream: ProgressStream, textOf: (step: S) => StepText): ProgressView<S> {
  const isLive = stream.isTTY === true
  let isLineOpen = false
  let lastPart = ''

  const clear = () => {
    if (isLineOpen) stream.write('\r\x1b[K')
    isLineOpen = false
  }
  return {
    note(text) {
      clear()
      stream.write(`${text}\n`)
    },
    show(step) {
      const { text, part } = textOf(step)
      if (isLive) {
        stream.write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`)
        isLineOpen = true
      } else if (part !== lastPart) stream.write(`${text}\n`)
      lastPart = part
    },
    end: clear,
  }
}

function describe(step: Progress): StepText {
  const { variant, cpus, comparison, comparisons, phase, live } = step
  const which = comparisons > 1 ? ` (${comparison}/${comparisons})` : ''
  const what = phase === 'measuring' ? `comparing ${live} with inline${leader(step)}` : phase
  const text = `${time(step)} ${variant} at ${formatCpuLimit(cpus)}${which}: ${what}`
  return { text, part: `${comparison} ${phase}` }
}

/** It may end earlier. */
function time({ seconds, budgetSeconds }: Progress): string {
  return `${Math.round(seconds)} of at most ${Math.round(budgetSeconds)} s,`
}

function leader({ best }: Progress): string {
  if (best === null) return ''
  const { executor, size } = best.cell
  return `; ${executor} ${size} leads with ${formatRatio(best.ratio)}`
}
