// The last events, in order: a ring of fixed size. Whoever has seen some asks for those that follow.

import type { DashboardEvent } from './view.js'

const MOST = 500

export type NewEvent = Omit<DashboardEvent, 'id'>

export class EventList {
  readonly #events: DashboardEvent[] = []
  #next = 1

  /** Of one look: in the order of their times. */
  add(events: readonly NewEvent[]): void {
    for (const event of [...events].sort((a, b) => a.at - b.at))
      this.#events.push({ ...event, id: this.#next++ })
    if (this.#events.length > MOST) this.#events.splice(0, this.#events.length - MOST)
  }

  /** Those with a higher id. */
  after(id: number): readonly DashboardEvent[] {
    return this.#events.filter((event) => event.id > id)
  }
}
