// The messages between `threadwise pools` and a program over its control socket: one line of JSON each way. Both sides look at what they get.

import type { ExecutorStats, Size } from '../executor/executor.js'
import type { TaskTimes } from '../executor/stats.js'
import type { Fault } from '../../user/line-socket.js'

export type PoolRequest =
  | { readonly command: 'pools' }
  /** `pool`: its name. What else is in it is looked at where it is used. */
  | { readonly command: 'resize'; readonly pool: string; readonly size: Size }

/** A pool as its program tells of it. Times are in milliseconds, null while nothing was measured. */
export interface PoolStatus {
  readonly kind: string
  readonly name: string
  /** Workers that are up or starting. */
  readonly size: number
  readonly queued: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  /** Calls that were turned away since the queue was full. A program of an older version does not tell. */
  readonly refused?: number
  /** 99 of 100 calls have waited, and run, no longer. */
  readonly waitP99: number | null
  readonly runP99: number | null
  /** Of the functions that took the most time. A program of an older version does not tell. */
  readonly tasks?: readonly TaskStatus[]
}

/** One function of a pool. */
export interface TaskStatus {
  readonly task: string
  readonly waitP99: number | null
  readonly runP99: number | null
}

export type PoolAnswer = { readonly ok: true; readonly pools: readonly PoolStatus[] } | Fault

/** A longer request does not come from threadwise. */
export const MAX_REQUEST = 4096
/** Nor does a longer answer. A thousand pools with a task each take a third of it. */
export const MAX_ANSWER = 2_000_000

/** Functions of a pool that are told, and characters of their names: more would not fit where there are a thousand pools. */
const MAX_TASKS = 8
const MAX_NAME = 50

export function statusOf(stats: ExecutorStats): PoolStatus {
  const { kind, name, size, queued, running, completed, failed, refused, wait, run } = stats
  const counts = { size, queued, running, completed, failed, refused }
  return { kind, name, ...counts, waitP99: wait.p99, runP99: run.p99, tasks: longestOf(stats.tasks) }
}

function longestOf(tasks: readonly TaskTimes[]): TaskStatus[] {
  const totalOf = ({ calls, run }: TaskTimes) => calls * (run.mean ?? 0)
  const longest = [...tasks].sort((a, b) => totalOf(b) - totalOf(a)).slice(0, MAX_TASKS)
  return longest.map(({ task, wait, run }) => ({
    task: task.length > MAX_NAME ? `${task.slice(0, MAX_NAME / 2)}...${task.slice(-MAX_NAME / 2)}` : task,
    waitP99: wait.p99,
    runP99: run.p99,
  }))
}

/** Undefined: it is none. */
export function readAnswer(text: string): PoolAnswer | undefined {
  const answer = parse(text) as { ok?: unknown; pools?: unknown; code?: unknown; message?: unknown }
  if (answer.ok === true && Array.isArray(answer.pools) && answer.pools.every(isStatus))
    return answer as PoolAnswer
  const isError = answer.ok === false && typeof answer.message === 'string'
  return isError && (answer.code === null || typeof answer.code === 'string')
    ? (answer as PoolAnswer)
    : undefined
}

/** Undefined: it is none. */
export function readRequest(text: string): PoolRequest | undefined {
  const request = parse(text) as { command?: unknown; pool?: unknown }
  if (request.command === 'pools') return { command: 'pools' }
  const isResize = request.command === 'resize' && typeof request.pool === 'string'
  return isResize ? (request as PoolRequest) : undefined
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    return {}
  }
}

const COUNTS = ['size', 'queued', 'running', 'completed', 'failed'] as const

function isStatus(value: unknown): value is PoolStatus {
  const status = Object(value) as { readonly [Field in keyof PoolStatus]?: unknown }
  const areTexts = typeof status.kind === 'string' && typeof status.name === 'string'
  const isRefused = status.refused === undefined || typeof status.refused === 'number'
  const areTasks = status.tasks === undefined || (Array.isArray(status.tasks) && status.tasks.every(isTask))
  const areCounts = COUNTS.every((field) => typeof status[field] === 'number')
  return areTexts && hasTimes(status) && isRefused && areTasks && areCounts
}

function isTask(value: unknown): boolean {
  const task = Object(value) as {
    readonly task?: unknown
    readonly waitP99?: unknown
    readonly runP99?: unknown
  }
  return typeof task.task === 'string' && hasTimes(task)
}

function hasTimes({ waitP99, runP99 }: { readonly waitP99?: unknown; readonly runP99?: unknown }): boolean {
  return [waitP99, runP99].every((ms) => ms === null || typeof ms === 'number')
}
