// The arguments of a call as a job holds them, and back.

import { ThreadwiseError } from '../../errors/errors.js'
import { contexts, contextValues, type ContextValues } from '../task/define-context.js'
import { unmark } from '../task/move.js'
import { apart } from '../wire/codec/apart.js'
import { readText, writeText } from '../wire/as-text.js'
import { argumentProblem, notCloneable, notSendable } from '../wire/not-cloneable.js'
import type { JobData, JobResult } from './messages.js'
import { preview } from './store-text.js'

export type Payload = Pick<JobData, 'args' | 'payload' | 'context' | 'each'>

export interface PayloadSettings {
  readonly isEach: boolean
  readonly maxPayload: number
}

/** @throws TW_ERR_NOT_CLONEABLE, TW_ERR_PAYLOAD_TOO_LARGE */
export function writeArguments(task: string, args: readonly unknown[], settings: PayloadSettings): Payload {
  const values = contexts.count === 0 ? undefined : contextValues()
  unmark(args) // each of them is copied
  const payload = writeList(task, args, values, settings.isEach)
  checkSize(payload, { what: 'The list of arguments', task, most: settings.maxPayload })
  return {
    args: preview(args),
    payload,
    ...(values && { context: true }),
    ...(settings.isEach && { each: true }),
  }
}

function writeList(
  task: string,
  args: readonly unknown[],
  values: ContextValues | undefined,
  isEach: boolean,
): string {
  const list = values ? [values, ...args] : args
  try {
    // Inputs of several calls have nothing in common.
    return writeText(isEach ? apart(list) : list)
  } catch (error) {
    // An only argument would be taken for one that was written without its list.
    const { what, reason } = argumentProblem(
      [...list, undefined],
      { hasContext: values !== undefined },
      error,
    )
    throw notCloneable(what, task, reason)
  }
}

export interface ReadArguments {
  readonly args: readonly unknown[]
  readonly values: ContextValues | undefined
}

/** @throws what readText throws, and TW_ERR_INVALID_CALL for what no caller has written */
export function readArguments(task: string, { payload, context }: Payload): ReadArguments {
  const list = readText(payload, { what: 'An argument', task, where: 'in the worker' })
  if (!isWritten(list, payload) || (context && !isValues(list[0], payload))) {
    const details = {
      call: `The job "${task}"`,
      expected: 'to hold a list of arguments',
      received: 'something else',
    }
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', details)
  }
  return context
    ? { args: list.slice(1), values: list[0] as ContextValues }
    : { args: list, values: undefined }
}

/** Whether it is a list, of no more items than there are letters: a list with holes can be of any length. */
function isWritten(list: unknown, { length }: string): list is unknown[] {
  return Array.isArray(list) && list.length <= length
}

/** Names and values in turn. */
function isValues(values: unknown, payload: string): boolean {
  if (!isWritten(values, payload) || values.length % 2 !== 0) return false
  return values.every((name, i) => i % 2 === 1 || typeof name === 'string')
}

/** @throws TW_ERR_NOT_CLONEABLE, TW_ERR_PAYLOAD_TOO_LARGE */
export function writeJobResult(task: string, value: unknown, maxPayload: number): Omit<JobResult, 'ms'> {
  const payload = writeJobValue(value, { what: 'The result', root: 'result', task })
  checkSize(payload, { what: 'The result', task, most: maxPayload })
  return { result: preview(value), payload }
}

export function readResult(task: string, { payload }: JobResult): unknown {
  return readText(payload, { what: 'The result', task, where: "in the caller's process" })
}

/** @throws TW_ERR_NOT_CLONEABLE */
export function writeJobValue(
  value: unknown,
  { what, root, task }: { what: string; root: string; task: string },
): string {
  try {
    return writeText(value)
  } catch (error) {
    throw notSendable(what, task, { root, error })
  }
}

function checkSize(
  payload: string,
  { what, task, most }: { what: string; task: string; most: number },
): void {
  const bytes = payload.length
  if (bytes > most) throw new ThreadwiseError('TW_ERR_PAYLOAD_TOO_LARGE', { what, task, bytes, most })
}
