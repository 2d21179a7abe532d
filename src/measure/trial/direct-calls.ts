// Calls a function itself, again and again, without an executor: what its own code costs, down to nanoseconds.

import { types } from 'node:util'

type Arguments = readonly unknown[]
type Callable = (...args: unknown[]) => unknown

export interface DirectCalls {
  /** The first result was a promise: each call is awaited. */
  readonly isAsync: boolean
  /** Makes so many calls, one after the other. What a call throws ends them. */
  run(count: number): void | Promise<void>
  /** The next calls get these arguments, in turn. */
  use(lists: readonly Arguments[]): void
}

/** Results go here: the compiler must not find out that nobody needs them. */
const sink: { value: unknown } = { value: undefined }

export function directCalls(task: Callable, lists: readonly Arguments[], first: unknown): DirectCalls {
  const isAsync = types.isPromise(first) || isPieces(first)
  const state: State = { task, lists, next: 0 }
  const use = (others: readonly Arguments[]) => void Object.assign(state, { lists: others, next: 0 })
  return { isAsync, use, run: isAsync ? (count) => runAsync(state, count) : (count) => runSync(state, count) }
}

interface State {
  readonly task: Callable
  lists: readonly Arguments[]
  next: number
}

/** Calls with few arguments name them: a spread costs more than a short function. */
function runSync(state: State, count: number): void {
  const { task, lists } = state
  const most = lists.length - 1
  let { next } = state
  for (let i = 0; i < count; i++) {
    const list = lists[next]!
    next = next === most ? 0 : next + 1
    sink.value =
      list.length === 1 ? task(list[0]) : list.length === 2 ? task(list[0], list[1]) : task(...list)
  }
  state.next = next
}

async function runAsync(state: State, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const list = state.lists[state.next]!
    state.next = state.next === state.lists.length - 1 ? 0 : state.next + 1
    sink.value = await settled(state.task(...list))
  }
}

/** What a call gives in the end: of a stream or an iterator all its pieces. */
export async function settled(result: unknown): Promise<unknown> {
  const value = await result
  if (!isPieces(value)) return value
  const pieces: unknown[] = []
  for await (const piece of value as AsyncIterable<unknown>) pieces.push(piece)
  return pieces
}

function isPieces(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false
  return Symbol.asyncIterator in result || (Symbol.iterator in result && 'next' in result)
}
