// Where calls wait: the interface of piscina for queues that users write, and the two queues that it has.

import assert from 'node:assert'
import type { queueOptionsSymbol } from './movable.js'

/** A call that waits. */
export interface PiscinaTask {
  /** From 0, in the order of the calls. */
  readonly taskId: number
  /** Of the task file. */
  readonly filename: string
  /** Of the function. */
  readonly name: string
  /** From performance.now(). */
  readonly created: number
  /** It has a signal. */
  readonly isAbortable: boolean
  /** What the argument of the call has under this symbol. */
  readonly [queueOptionsSymbol]: object | null
}

/** Which of the calls that wait is next. */
export interface TaskQueue {
  /** Calls that wait. */
  readonly size: number
  /** Takes the next one out. */
  shift(): PiscinaTask | null
  /** Of a call that was given up. */
  remove(task: PiscinaTask): void
  /** Of a new call. */
  push(task: PiscinaTask): void
  /** At the front; not used here. */
  unshift?(task: PiscinaTask): void
}

export function isTaskQueue(value: unknown): value is TaskQueue {
  if (typeof value !== 'object' || value === null || !('size' in value)) return false
  const { shift, remove, push } = value as Partial<TaskQueue>
  return [shift, remove, push].every((part) => typeof part === 'function')
}

/** A list: slow where thousands of calls wait. */
export class ArrayTaskQueue implements TaskQueue {
  /** In their order. */
  tasks: PiscinaTask[] = []

  /** Calls that wait. */
  get size(): number {
    return this.tasks.length
  }

  /** Takes the first one out. */
  shift(): PiscinaTask | null {
    return this.tasks.shift() ?? null
  }

  /** Adds it at the end. */
  push(task: PiscinaTask): void {
    this.tasks.push(task)
  }

  /** Adds it at the front. */
  unshift(task: PiscinaTask): void {
    this.tasks.unshift(task)
  }

  /** Takes it out. */
  remove(task: PiscinaTask): void {
    const index = this.tasks.indexOf(task)
    assert.notStrictEqual(index, -1)
    this.tasks.splice(index, 1)
  }
}

/** Quick at both ends, and within, also where it is long. */
export class FixedQueue implements TaskQueue {
  #tasks = new Set<PiscinaTask>()
  /** Kept: a new one would pass by all that has left at the front. */
  #front = this.#tasks.values()

  /** Calls that wait. */
  get size(): number {
    return this.#tasks.size
  }

  /** None waits. */
  isEmpty(): boolean {
    return this.#tasks.size === 0
  }

  /** Takes the first one out. */
  shift(): PiscinaTask | null {
    if (this.#tasks.size === 0) return null
    let next = this.#front.next()
    if (next.done) next = (this.#front = this.#tasks.values()).next()
    const first = next.value as PiscinaTask
    this.#tasks.delete(first)
    return first
  }

  /** Adds it at the end. */
  push(task: PiscinaTask): void {
    this.#tasks.add(task)
  }

  /** Adds it at the front. */
  unshift(task: PiscinaTask): void {
    this.#tasks = new Set([task, ...this.#tasks])
    this.#front = this.#tasks.values()
  }

  /** Takes it out. */
  remove(task: PiscinaTask): void {
    this.#tasks.delete(task)
  }
}

/** They keep the order of the calls, as the pool does by itself. */
export function isPlainQueue(queue: TaskQueue): boolean {
  const prototype: unknown = Object.getPrototypeOf(queue)
  return prototype === ArrayTaskQueue.prototype || prototype === FixedQueue.prototype
}
