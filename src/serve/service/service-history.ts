// What has happened in a service: emitted as events, and kept for its status.

import type { ServeEvent, ServiceStatus } from '../contract/events.js'

/** So many ends of the instances at one place within this time are more than a mishap. */
const FLAPS = 3
const FLAPPING_MS = 60_000

interface End {
  readonly at: number
  readonly hasServed: boolean
}

export class ServiceHistory implements Pick<
  ServiceStatus,
  'startedAt' | 'reloads' | 'crashes' | 'renewals' | 'lastProblem'
> {
  readonly startedAt = Date.now()
  reloads = 0
  crashes = 0
  renewals = 0
  /** How often the job was started. */
  runs = 0
  lastProblem: string | null = null
  /** When instances have ended by themselves, by their place. */
  readonly #ends = new Map<number, End[]>()
  readonly #onEvent: (event: ServeEvent) => void

  constructor(onEvent: (event: ServeEvent) => void) {
    this.#onEvent = onEvent
  }

  /** The instance at this place has ended by itself, or has not become ready at the first start. */
  crashed(place: number, reason: string, hasServed: boolean): void {
    this.crashes++
    this.lastProblem = reason
    this.#ends.set(place, [...this.#recentAt(place), { at: Date.now(), hasServed }])
  }

  /** The instance at this place serves: those before it that never did say nothing any more. */
  served(place: number): void {
    const ends = this.#recentAt(place).filter(({ hasServed }) => hasServed)
    this.#ends.set(place, ends)
  }

  /** Whether instances end again and again. */
  get isFlapping(): boolean {
    return [...this.#ends.keys()].some((place) => this.#recentAt(place).length >= FLAPS)
  }

  /** What has happened until now says nothing about what comes. */
  settle(): void {
    this.#ends.clear()
  }

  #recentAt(place: number): End[] {
    const ends = this.#ends.get(place) ?? []
    return ends.filter(({ at }) => Date.now() - at < FLAPPING_MS).slice(-FLAPS)
  }

  warn(text: string): void {
    this.lastProblem = text
    this.emit({ type: 'warning', text })
  }

  emit(event: ServeEvent): void {
    // In a microtask: an error of the listener must not stop what is under way here.
    queueMicrotask(() => this.#onEvent(event))
  }
}
