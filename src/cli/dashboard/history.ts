// The last hour of a service: a ring of fixed size, with one place for each tick of the clock.
//
//   slot = tick of the clock modulo SLOTS       slots between two looks were not looked at: they are emptied, and drawn as a gap

import { FIGURES, type FigureName, type Figures } from './view.js'

export const TICK_MS = 2000
const HOUR_MS = 3_600_000
export const SLOTS = HOUR_MS / TICK_MS

export class History {
  /** NaN: nobody looked, or there was nothing. */
  readonly #values = new Float32Array(SLOTS * FIGURES.length).fill(NaN)
  #newest = -Infinity

  /** `at`: milliseconds since 1970. A second look within a tick replaces the first. */
  add(figures: Figures, at: number): void {
    const tick = Math.floor(at / TICK_MS)
    if (tick < this.#newest) return // the clock was put back
    for (let skipped = Math.max(this.#newest + 1, tick - SLOTS); skipped < tick; skipped++) this.#clear(skipped) // prettier-ignore
    this.#newest = tick
    for (const [index, name] of FIGURES.entries()) this.#values[this.#at(tick, index)] = figures[name] ?? NaN
  }

  /** The last ticks up to that of `at`, the oldest first. */
  last(name: FigureName, at: number, count = SLOTS): (number | null)[] {
    const index = FIGURES.indexOf(name)
    const tick = Math.floor(at / TICK_MS)
    return Array.from({ length: count }, (_, place) => this.#read(tick - count + 1 + place, index))
  }

  /** The same in fewer values: the largest of each part. */
  line(name: FigureName, at: number, parts: number): (number | null)[] {
    const all = this.last(name, at)
    const width = Math.ceil(SLOTS / parts)
    return Array.from({ length: parts }, (_, part) => {
      const some = all.slice(part * width, (part + 1) * width).filter((value) => value !== null)
      return some.length === 0 ? null : Math.max(...some)
    })
  }

  #read(tick: number, index: number): number | null {
    if (tick > this.#newest || tick <= this.#newest - SLOTS) return null
    const value = this.#values[this.#at(tick, index)]!
    return Number.isNaN(value) ? null : value
  }

  #clear(tick: number): void {
    for (const index of FIGURES.keys()) this.#values[this.#at(tick, index)] = NaN
  }

  #at(tick: number, index: number): number {
    return (tick % SLOTS) * FIGURES.length + index
  }
}
