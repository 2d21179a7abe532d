// What the dashboard tells a page, and what a page asks of it: the words that both sides share.

import type { InstanceStatus, ServiceState, ServiceStatus } from '../../../serve/contract/events.js'

/** Of all instances of a service together. Null: there is none, or it is not known yet. Times are in milliseconds. */
export interface Figures {
  readonly perSecond: number | null
  readonly errorsPerSecond: number | null
  /** Of the instance where it is the longest, as are the next two. */
  readonly p50: number | null
  readonly p99: number | null
  readonly loopDelay: number | null
  /** CPUs used: 1 is one whole CPU. */
  readonly cpu: number | null
  /** Share of the periods of the CPU quota in which the kernel froze it, since the last look. */
  readonly throttled: number | null
  /** Bytes. */
  readonly rss: number | null
}

export type FigureName = keyof Figures

/** In the order of the ring. */
export const FIGURES = [
  ...(['perSecond', 'errorsPerSecond', 'p50', 'p99', 'loopDelay', 'cpu', 'throttled', 'rss'] as const),
] satisfies readonly FigureName[]

/** A service that runs, as one row. */
export interface ServiceRow extends Pick<
  ServiceStatus,
  | 'name'
  | 'kind'
  | 'state'
  | 'pid'
  | 'wanted'
  | 'startedAt'
  | 'reloads'
  | 'crashes'
  | 'renewals'
  | 'lastProblem'
> {
  readonly serving: number
  readonly figures: Figures
  /** CPUs that it may use. */
  readonly budget: number
  readonly memoryLimit: number
  /** Requests a second, or CPUs where it takes none, of the last quarter of an hour: what is drawn in the row. */
  readonly line: readonly (number | null)[]
}

/** One that was started in the background and has ended, or that does not answer. */
export interface AbsentRow {
  readonly name: string
  readonly state:
    Extract<ServiceState, 'stopped' | 'failed'> | 'done' | 'killed' | 'restarting' | 'no answer' | 'odd'
  /** Milliseconds since 1970; null: not known. */
  readonly at: number | null
  readonly reason: string | null
  readonly lastWords: readonly string[]
}

export interface PoolRow {
  readonly pid: number
  readonly thread: number
  readonly name: string
  readonly kind: string
  readonly size: number
  readonly queued: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  /** Null: its program is of a version that does not tell. */
  readonly refused: number | null
  readonly waitP99: number | null
  readonly runP99: number | null
  /** Of the functions that took the most time; empty where its program is of a version that does not tell. */
  readonly tasks: readonly TaskRow[]
  /** CPUs that its process may use. */
  readonly budget: number
}

export interface TaskRow {
  readonly task: string
  readonly waitP99: number | null
  readonly runP99: number | null
}

export interface QueueRow {
  readonly queue: string
  readonly waiting: number
  readonly running: number
  readonly failed: number
  readonly oldestMs: number | null
  readonly isPaused: boolean
  readonly workers: number
  /** Why the figures are not there. */
  readonly problem: string | null
}

export type EventKind =
  'reload' | 'death' | 'renewal' | 'throttling' | 'queue' | 'service' | 'instance' | 'problem' | 'change'

export interface DashboardEvent {
  /** Grows by one. */
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: EventKind
  /** The service, pool or queue. */
  readonly of: string
  readonly text: string
  /** What an instance that has ended wrote last. */
  readonly lastWords: readonly string[]
}

/** The service that a page has chosen. */
export interface ChosenService {
  readonly name: string
  readonly file: string
  readonly ports: readonly string[]
  readonly instances: readonly InstanceStatus[]
  /** New lines of its log; null: it has none, as it runs in the foreground. */
  readonly log: readonly string[] | null
}

/** Sent at each look. */
export interface PageTick {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly services: readonly ServiceRow[]
  readonly absent: readonly AbsentRow[]
  readonly pools: readonly PoolRow[]
  readonly queues: readonly QueueRow[]
  readonly events: readonly DashboardEvent[]
  readonly chosen: ChosenService | null
}

/** Sent first. */
export interface Beginning {
  readonly stepMs: number
  /** Of the chosen service, one value a step, from the oldest to that of the first tick; null for steps in which nobody looked. */
  readonly history: Readonly<Record<FigureName, readonly (number | null)[]>> | null
}

export type Action =
  | { readonly type: 'reload' | 'restart' | 'stop' | 'start' | 'profile'; readonly service: string }
  | { readonly type: 'scale'; readonly service: string; readonly instances: number }
  | {
      readonly type: 'resize'
      readonly pid: number
      readonly pool: string
      readonly min: number
      readonly max: number
    }

/** The answer to an action that is asked for: it is done when the permit comes back. */
export interface Permit {
  readonly permit: string
  readonly question: string
}

/** A function in the flame graph. */
export interface Flame {
  readonly name: string
  readonly place: string
  readonly isYours: boolean
  readonly share: number
  readonly children: readonly Flame[]
}

export interface ActionOutcome {
  readonly ok: boolean
  readonly text: string
  readonly flame?: Flame | null
}
