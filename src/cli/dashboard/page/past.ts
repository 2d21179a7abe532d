// The last hour of the chosen service, as the page has it: one value a step. Pure.

import type { Figures, FigureName } from '../look/view.js'

const HOUR_MS = 3_600_000

export type ChartValues = readonly (number | null)[]

/** What is drawn: values side by side, each the largest of `width` steps. */
export interface ChartSpan {
  readonly values: ChartValues
  /** Milliseconds since 1970, of the end of the last value. */
  readonly until: number
  readonly stepMs: number
}

export class Past {
  readonly stepMs: number
  readonly #values = new Map<FigureName, (number | null)[]>()
  #step = 0

  constructor(stepMs: number, history: Readonly<Partial<Record<FigureName, ChartValues>>>) {
    this.stepMs = stepMs
    for (const [name, values] of Object.entries(history)) this.#values.set(name as FigureName, [...values])
  }

  /** Steps that were left out are gaps. The history ends with the first one that is added. */
  add(figures: Figures, at: number): void {
    const step = Math.floor(at / this.stepMs)
    const more = this.#step === 0 ? 0 : Math.max(0, Math.min(step - this.#step, this.#count))
    for (const [name, values] of this.#values) {
      for (let gap = 0; gap < more; gap++) values.push(null)
      values[values.length - 1] = figures[name]
      values.splice(0, values.length - this.#count)
    }
    this.#step = Math.max(step, this.#step)
  }

  /** The last minutes in about so many values. They begin at whole multiples, so that a line moves and does not change its form. */
  span(name: FigureName, minutes: number, parts: number): ChartSpan {
    const steps = Math.min(this.#count, Math.round((minutes * 60_000) / this.stepMs))
    const width = Math.max(1, Math.floor(steps / parts))
    const all = this.#values.get(name) ?? []
    const end = Math.ceil((this.#step + 1) / width) * width
    const count = Math.ceil(steps / width)
    const at = (step: number) => all[all.length - 1 - (this.#step - step)] ?? null
    const values = Array.from({ length: count }, (_, part) => {
      const from = end - (count - part) * width
      const some = Array.from({ length: width }, (_, offset) => at(from + offset)).filter(
        (value) => value !== null,
      )
      return some.length === 0 ? null : Math.max(...some)
    })
    return { values, until: end * this.stepMs, stepMs: width * this.stepMs }
  }

  /** The shortest of these, in minutes, that holds all that is known. */
  fitting(choices: readonly number[]): number {
    const first = Math.min(
      ...[...this.#values.values()]
        .map((values) => values.findIndex((value) => value !== null))
        .filter((at) => at >= 0),
    )
    const minutes = Number.isFinite(first) ? ((this.#count - first) * this.stepMs) / 60_000 : 0
    return choices.find((choice) => choice >= minutes) ?? choices.at(-1)!
  }

  get #count(): number {
    return HOUR_MS / this.stepMs
  }
}
