// What the dashboard knows of one service: its last hour, and the last lines of its log.

import type { ServiceStatus } from '../../../serve/contract/events.js'
import { changesOf, throttlingChange } from './changes.js'
import type { NewEvent } from './event-list.js'
import { figuresOf, type ServiceLook } from './figures.js'
import { History, STEP_MS } from './history.js'
import { eventsInLog } from './log-events.js'
import { LogTail, MOST_LINES, shown, shownBytes } from './log-tail.js'
import { FIGURES, type Beginning, type ChosenService, type Figures, type ServiceRow } from './view.js'

const HOUR_MS = 3_600_000
/** The line in a row: a quarter of an hour. */
const LINE = { steps: 900_000 / STEP_MS, parts: 75 }

const NOTHING = Object.fromEntries(FIGURES.map((name) => [name, null])) as unknown as Figures

interface Circumstances {
  readonly at: number
  readonly log: string | undefined
  readonly isAsked: boolean
}

export class TrackedService {
  readonly name: string
  readonly #history = new History()
  #last: ServiceLook | undefined
  /** The last look at which its instances were asked. */
  #measured: ServiceLook | undefined
  #figures: Figures = NOTHING
  #at = 0
  #tail: { readonly path: string; readonly log: LogTail } | undefined
  #lines: string[] = []
  /** Of all lines ever: by this a page knows which ones it has. */
  #lineCount = 0
  #events: NewEvent[] = []

  constructor(name: string) {
    this.name = name
  }

  /** `at`: milliseconds since 1970; `log`: the file that it writes; `isAsked`: its instances were asked for their load. */
  see(look: ServiceLook, { at, log, isAsked }: Circumstances): void {
    if (!this.#readLog(log, at) && this.#last) this.#events.push(...changesOf(look, this.#last, at))
    if (isAsked) this.#measure(look, at)
    this.#last = isAsked ? look : { ...look, status: withLoads(look.status, this.#last?.status) }
    this.#at = at
  }

  #measure(look: ServiceLook, at: number): void {
    const figures = figuresOf(look, this.#measured)
    this.#events.push(...throttlingChange(this.name, figures.throttled, this.#figures.throttled, at))
    this.#history.add(figures, at)
    this.#measured = look
    this.#figures = figures
  }

  /** There are instances that were not there when it was last asked. */
  get hasUnmeasured(): boolean {
    const known = this.#measured?.status.instances.map(({ id }) => id) ?? []
    return (
      this.#last?.status.instances.some(({ id, state }) => state === 'serving' && !known.includes(id)) ?? true
    )
  }

  /** Of the last look, once. */
  takeEvents(): NewEvent[] {
    return this.#events.splice(0)
  }

  get row(): ServiceRow {
    const { status, limits } = this.#last!
    const { name, kind, state, pid, wanted, startedAt, reloads, crashes, renewals, lastProblem } = status
    return {
      name,
      kind,
      state,
      pid,
      wanted,
      startedAt,
      reloads,
      crashes,
      renewals,
      lastProblem: lastProblem && shown(lastProblem),
      serving: status.instances.filter((instance) => instance.state === 'serving').length,
      figures: this.#figures,
      budget: limits.cpus,
      memoryLimit: limits.memoryBytes,
      line: this.#history.line(kind === 'server' ? 'perSecond' : 'cpu', this.#at, LINE),
    }
  }

  get lineCount(): number {
    return this.#lineCount
  }

  get logPath(): string | undefined {
    return this.#tail?.path
  }

  /** With the lines of its log that have come since it had so many. */
  chosen(lineCount: number): ChosenService {
    const { file, ports, instances } = this.#last!.status
    const isKnown = this.#tail !== undefined
    const count = Math.min(this.#lineCount - lineCount, this.#lines.length)
    const log = isKnown ? (count > 0 ? this.#lines.slice(-count) : []) : null
    return { name: this.name, file: shown(file), ports: ports ?? [], instances, log }
  }

  /** Up to the last look. */
  past(): NonNullable<Beginning['history']> {
    const all = FIGURES.map((name) => [name, this.#history.last(name, this.#at).map(rounded)] as const)
    return Object.fromEntries(all) as unknown as NonNullable<Beginning['history']>
  }

  close(): void {
    this.#tail?.log.close()
    this.#tail = undefined
  }

  /** False where it writes none. */
  #readLog(path: string | undefined, at: number): boolean {
    if (path !== this.#tail?.path) {
      this.close()
      this.#tail = path === undefined ? undefined : { path, log: new LogTail(path) }
    }
    if (!this.#tail) return false
    const lines = this.#tail.log.read()
    const events = eventsInLog(this.name, lines, this.#lines)
    this.#events = [...this.#events, ...events.filter((event) => event.at > at - HOUR_MS)]
    this.#lineCount += lines.length
    this.#lines = [...this.#lines, ...lines.slice(-MOST_LINES).map(shownBytes)].slice(-MOST_LINES)
    return true
  }
}

/** Between two questions instances have the load that they had. */
function withLoads(status: ServiceStatus, before: ServiceStatus | undefined): ServiceStatus {
  const loads = new Map(before?.instances.map(({ pid, load }) => [pid, load]))
  return {
    ...status,
    instances: status.instances.map((one) => ({ ...one, load: loads.get(one.pid) ?? null })),
  }
}

/** Three digits are enough to draw. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4))
}
