// A channel into a running task: the option `messages` of a call, and `task.messages` inside the task.
//
//   source in the program <-- next() -- the way of task.host -- task.messages
//                         --- value -->
//
// The task asks for each message, so the source is never ahead of it, and a source that is slow holds up no worker.

import { checkOption } from '../../errors/check-options.js'
import { callback } from './callback.js'
import { checkNext, type Next } from './check-next.js'
import { runningCall } from './task-context.js'
import { RESERVED, type TaskFunction } from './task-function.js'

/** What a program may send. */
export type MessageSource = Iterable<unknown> | AsyncIterable<unknown>

/** Of a message, or of the end: an empty list. */
type Sent = readonly [] | readonly [value: unknown]

/** @throws TW_ERR_INVALID_OPTION */
export function checkMessages(messages: unknown): void {
  const isSource =
    messages === undefined ||
    (typeof messages === 'object' &&
      messages !== null &&
      (Symbol.iterator in messages || Symbol.asyncIterator in messages))
  checkOption(isSource, 'messages', 'an iterable or async iterable', messages)
}

/**
 * Makes a call whose task may read messages. The source is ended with the call, however that ends.
 *
 * @param call is given the name and the arguments of what is to be called: a task that every worker has, which knows the source
 */
export function withMessages(
  source: MessageSource,
  [name, args]: readonly [name: string, args: readonly unknown[]],
  call: (name: string, args: readonly unknown[]) => Promise<unknown>,
): Promise<unknown> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let isDone = false
  const next = callback(async (): Promise<Sent> => {
    if (isDone) return []
    const { done, value } = checkNext((await iterator.next()) as Next)
    isDone ||= done === true
    return isDone ? [] : [value]
  })
  return call(`${RESERVED}withMessages:${name}`, [next, ...args]).finally(() => {
    if (!isDone) void (async () => iterator.return?.())().catch(() => {}) // what ended the call is the one to tell
    isDone = true
  })
}

/** In the worker: calls the task where it finds its messages. */
export function callWithMessages(task: TaskFunction, next: () => Promise<Sent>, args: unknown[]): unknown {
  const context = runningCall()
  if (context) context.messages = messagesFrom(next)
  return task(...args) as unknown
}

function messagesFrom(ask: () => Promise<Sent>): AsyncIterableIterator<unknown> {
  let isOver = false
  const end = (): IteratorResult<unknown> => {
    isOver = true
    return { done: true, value: undefined }
  }
  const messages: AsyncIterableIterator<unknown> = {
    async next() {
      if (isOver) return end()
      const sent = await ask()
      return sent.length === 0 || isOver ? end() : { done: false, value: sent[0] }
    },
    /** The task reads no more: whoever reads after that is told that it is over. */
    return: () => Promise.resolve(end()),
    [Symbol.asyncIterator]: () => messages,
  }
  return messages
}

/** Of a call that was given none. */
export const NO_MESSAGES: AsyncIterableIterator<never> = {
  next: () => Promise.resolve({ done: true, value: undefined }),
  [Symbol.asyncIterator]: () => NO_MESSAGES,
}
