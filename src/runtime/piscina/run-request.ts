// What run() is given, checked with the words of piscina.

import { ownOptions } from '../../errors/check-options.js'
import type { AbortSignalAny } from './abort.js'
import type { CallRequest } from './calls.js'
import { taskFilePath, type FilledOptions } from './options.js'

/** Options of one call. */
export interface RunOptions {
  /** ArrayBuffers, MessagePorts and web streams in the argument that are moved instead of copied. */
  readonly transferList?: readonly unknown[] | undefined
  /** Of the task file. Default: that of the pool. */
  readonly filename?: string | null | undefined
  /** Of the function in it. Default: that of the pool. */
  readonly name?: string | null | undefined
  /** An AbortSignal, or an emitter of 'abort': the call rejects with an AbortError, and its thread ends. */
  readonly signal?: AbortSignalAny | null | undefined
}

/** @throws TypeError */
export function checkRequest(task: unknown, given: RunOptions, pool: FilledOptions): CallRequest {
  if (given === null || typeof given !== 'object') throw new TypeError('options must be an object')
  const { transferList, filename, name, signal } = ownOptions(given)
  if (transferList !== undefined && !Array.isArray(transferList))
    throw new TypeError('transferList argument must be an Array')
  checkText('filename', filename)
  checkText('name', name)
  if (signal != null && typeof signal !== 'object') throw new TypeError('signal argument must be an object')
  const file = filename ? taskFilePath(filename) : pool.filename
  if (file === null) throw new Error('filename must be provided to run() or in options object')
  return {
    task,
    filename: file,
    name: name ?? pool.name,
    transferList: transferList ?? [],
    signal: signal ?? null,
  }
}

function checkText(name: string, value: unknown): void {
  if (value != null && typeof value !== 'string') throw new TypeError(`${name} argument must be a string`)
}
