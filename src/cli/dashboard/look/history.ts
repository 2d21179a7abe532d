// The last hour of a service: a ring of fixed size, with one place for each step of the clock.
//
//   slot = step of the clock modulo SLOTS       slots between two looks were not looked at: they are emptied, and drawn as a gap

import { FIGURES, type FigureName, type Figures } from './view.js'

/** Instances measure over the last 10 to 20 seconds, so asking them more often would show nothing new. */
export const STEP_MS = 6000
const HOUR_MS = 3_600_000
const SLOTS = HOUR_MS / STEP_MS

export class History {
  /** NaN: nobody looked, or there was nothing. */
  readonly #values = new Float32Array(SLOTS * FIGURES.length).fill(NaN)
  #newest = -Infinity

  /** `at`: milliseconds since 1970. A second look within a step replaces the first. */
  add(figures: Figures, at: number): void {
    const step = Math.floor(at / STEP_MS)
    if (step < this.#newest) return // the clock was put back
    for (let skipped = Math.max(this.#newest + 1, step - SLOTS); skipped < step; skipped++)
      this.#clear(skipped)
    this.#newest = step
    for (const [index, name] of FIGURES.entries()) this.#values[this.#at(step, index)] = figures[name] ?? NaN
  }

  /** The last steps up to that of `at`, the oldest first. */
  last(name: FigureName, at: number, count = SLOTS): (number | null)[] {
    const index = FIGURES.indexOf(name)
    const step = Math.floor(at / STEP_MS)
    return Array.from({ length: count }, (_, place) => this.#read(step - count + 1 + place, index))
  }

  /** The last steps, in fewer values: the largest of each part. */
  line(name: FigureName, at: number, { steps, parts }: { steps: number; parts: number }): (number | null)[] {
    const all = this.last(name, at, steps)
    const width = Math.ceil(steps / parts)
    return Array.from({ length: parts }, (_, part) => {
      const some = all.slice(part * width, (part + 1) * width).filter((value) => value !== null)
      return some.length === 0 ? null : Math.max(...some)
    })
  }

  #read(step: number, index: number): number | null {
    if (step > this.#newest || step <= this.#newest - SLOTS) return null
    const value = this.#values[this.#at(step, index)]!
    return Number.isNaN(value) ? null : value
  }

  #clear(step: number): void {
    for (const index of FIGURES.keys()) this.#values[this.#at(step, index)] = NaN
  }

  #at(step: number, index: number): number {
    return (step % SLOTS) * FIGURES.length + index
  }
}
