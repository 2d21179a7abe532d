// Makes an Executor from the few things in which runtimes differ, so that all of them check, map and dispose alike.

import { checkNames, checkObject, checkOption, optionNames, ownOptions } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { acrossAwaits, enterLater } from '../task/async-scope.js'
import { extendStack } from './caller-stack.js'
import { callbacks, isMark, withCallbacks } from '../task/callback.js'
import { contextValues } from '../task/define-context.js'
import { withMessages } from '../task/messages.js'
import { unmark } from '../task/move.js'
import type {
  Capabilities,
  Executor,
  ExecutorStats,
  RunOptions,
  Size,
  StreamOptions,
  TaskStream,
  Tasks,
} from './executor.js'
import type { ExecutorKind } from './stats.js'
import type { ChunkTimes } from './chunk-size.js'
import { createCopyCosts, type CopyCosts } from './copy-costs.js'
import { type ChunkLimits, mapInputs, type MapInputs, type MapCalls } from './map-inputs.js'
import { checkCall, checkMilliseconds, NO_OPTIONS, ownRunOptions } from './shared-options.js'
import { nameInput } from './name-input.js'
import type { Submit } from './submit.js'

/** Calls the function once for each input; they travel as one call, which the signal ends. */
export type EachCall = (
  name: string,
  inputs: readonly unknown[],
  options?: Pick<RunOptions, 'signal'>,
) => Promise<ChunkTimes>

export interface ExecutorCore {
  readonly kind: ExecutorKind
  readonly capabilities: Capabilities
  readonly ready: Promise<void>
  /** Workers now. Asked for with every chunk of an algorithm, so it is not read from stats(), which describes each worker. */
  readonly size: number
  /** Calls that map() keeps in flight. */
  readonly mapLimit: number
  /** Called without `this`. */
  readonly submit: Submit
  /** For map(), which bounds its calls itself: waits for room in a bounded queue, whatever else that does when it is full. */
  readonly submitWhenRoom: Submit
  /** Absent, or undefined: nothing is gained by it now. */
  readonly eachCall?: () => EachCall | undefined
  /** How many inputs travel as one call; to be given with eachCall. */
  readonly mapChunks?: ChunkLimits | undefined
  readonly broadcast: Submit<unknown[]>
  resize(size: Size): void
  readonly hasRoom: () => boolean
  whenRoom(): Promise<void>
  /** Where there are workers to replace. */
  readonly recycleNow?: (() => Promise<void>) | undefined
  /** Makes the call once items are asked for. */
  stream(name: string, args: readonly unknown[], options: StreamOptions | undefined): TaskStream<unknown>
  stats(): ExecutorStats
  /** Where there are workers to ask. */
  readonly inspect?: (() => Promise<ExecutorStats>) | undefined
  close(timeout: number | undefined): Promise<void>
  destroy(reason: unknown): Promise<void>
}

const CLOSE_OPTIONS = optionNames('timeout')

export function executorFromCore<T>(core: ExecutorCore): Executor<T> {
  const copyCosts = createCopyCosts(() => `${core.kind} "${core.stats().name}"`)
  const { submit } = core // once: a core has accessors, and V8 looks up each use of a property of such an object
  const run = createRun(core, submit)
  const executor = {
    kind: core.kind,
    capabilities: Object.freeze({ ...core.capabilities }),
    get ready() {
      return core.ready
    },
    tasks: createTaskMethods<T>((name, args) =>
      callbacks.made === 0 ? submit(name, args, undefined) : withOwnCallbacks(core, name, args, undefined),
    ),
    run,
    map: (name: string, inputs: MapInputs, options?: RunOptions) =>
      map({ core, copyCosts, name, inputs, given: options }),
    broadcast: (name: string, args?: unknown[], options?: RunOptions) => broadcast(core, name, args, options),
    resize: (size: Size) => core.resize(size),
    whenRoom: () => core.whenRoom(),
    stream(name: string, args: unknown[] = [], options?: StreamOptions) {
      checkCall(name, args, 'stream')
      const own = checkKind(core, ownRunOptions(options, 'stream'))
      return core.stream(name, [...args], inCallersContext(own))
    },
    stats: () => core.stats(),
    recycleNow: async () => core.recycleNow?.(),
    inspect: async () => (core.inspect ? core.inspect() : core.stats()),
    close: async (options: { timeout?: number } = {}) => core.close(checkClose(options)),
    destroy: (reason?: unknown) => core.destroy(reason),
    [Symbol.asyncDispose]: () => core.close(undefined),
  }
  // Not in the literal: with an accessor there, each use of `executor.tasks` would be a look-up in a hash table.
  const sized = withField(executor, 'size', () => core.size)
  return withField(sized, 'hasRoom', core.hasRoom) as unknown as Executor<T>
}

/** Checks its arguments once: what is made of them is its own. */
function createRun(core: ExecutorCore, submit: Submit) {
  return function run(name: string, args: unknown[] = [], options?: RunOptions): Promise<unknown> {
    let list: unknown[]
    let own: RunOptions | undefined
    try {
      list = checkedList(name, args)
      own = inCallersContext(checkKind(core, ownRunOptions(options)))
    } catch (error) {
      return Promise.reject(error)
    }
    if (own?.messages !== undefined) return withOwnMessages(core, name, list, own)
    return callbacks.made === 0 ? submit(name, list, own) : withOwnCallbacks(core, name, list, own)
  }
}

function withField<O extends object>(executor: O, name: string, get: () => unknown): O {
  return Object.defineProperty(executor, name, { get, enumerable: true, configurable: true })
}

/** A list of its own: it may be read long after the call, and one with a getter, or a proxy, could throw there. */
function checkedList(name: string, args: unknown[]): unknown[] {
  checkCall(name, args)
  return [...args]
}

/** An option that this executor lacks would have no effect, and whoever gave it would not know. */
function checkKind<O extends RunOptions>(
  { kind, capabilities }: ExecutorCore,
  options: O | undefined,
): O | undefined {
  if (options === undefined) return undefined
  const lacks = `left out: ${kind} has no such option`
  checkOption(options.key === undefined || capabilities.keys, 'key', lacks, options.key)
  checkOption(options.id === undefined || capabilities.durable, 'id', lacks, options.id)
  checkOption(options.sendNow === undefined || !capabilities.remote, 'sendNow', lacks, options.sendNow)
  return options
}

function checkNoMessages(method: string, options: RunOptions | undefined): void {
  checkOption(
    options?.messages === undefined,
    'messages',
    `absent from ${method}: they are for run()`,
    options?.messages,
  )
}

function checkClose(given: { timeout?: number }): number | undefined {
  checkObject('the options of close()', given, 'an object such as { timeout: 5000 }')
  const options = ownOptions(given)
  checkNames(options, CLOSE_OPTIONS)
  if (options.timeout !== undefined) checkMilliseconds('timeout', options.timeout)
  return options.timeout
}

/** The task reads what the source gives. */
function withOwnMessages(
  core: ExecutorCore,
  ...[name, args, { messages, ...options }]: [name: string, args: readonly unknown[], options: RunOptions]
): Promise<unknown> {
  if (core.capabilities.remote) {
    const expected = `absent, as tasks of ${core.kind} run without this program`
    const details = { call: `run("${name}", ..., { messages })`, expected, received: 'a source' }
    return Promise.reject(new ThreadwiseError('TW_ERR_INVALID_CALL', details))
  }
  return withMessages(messages!, [name, args], (...call) => withOwnCallbacks(core, ...call, options))
}

/** By itself: in a program without callbacks nothing of it stands in the way of a call, nor in the stack of its error. */
function withOwnCallbacks(
  { kind, capabilities, submit }: ExecutorCore,
  ...[name, args, options]: Parameters<Submit>
): Promise<unknown> {
  if (capabilities.remote && args.some(isMark)) {
    const expected = `no callback among its arguments, as tasks of ${kind} run without this program`
    const details = { call: `run("${name}")`, expected, received: 'one' }
    return Promise.reject(new ThreadwiseError('TW_ERR_INVALID_CALL', details))
  }
  return withCallbacks(args, capabilities.copies, (own) => submit(name, own, options))
}

interface MapSettings {
  readonly core: ExecutorCore
  readonly copyCosts: CopyCosts
  readonly name: string
  readonly inputs: MapInputs
  readonly given: RunOptions | undefined
}

async function map({ core, copyCosts, name, inputs, given }: MapSettings) {
  checkCall(name, [])
  const options = inCallersContext(checkKind(core, ownRunOptions(given)))
  checkOption(options?.id === undefined, 'id', 'absent: map() makes several calls', options?.id)
  checkNoMessages('map()', options)
  checkInputs(name, inputs)
  if (options?.signal?.aborted) throw options.signal.reason
  // threadwise/parallel calls in this way, many times.
  if (Array.isArray(inputs) && inputs.length === 1)
    return [await core.submitWhenRoom(name, inputs.slice(), options)]
  try {
    return await mapInputs(inputs, mapCalls({ core, copyCosts, name }, options))
  } catch (error) {
    if (!options?.signal?.aborted) extendStack(error, name)
    throw error
  }
}

async function broadcast(core: ExecutorCore, name: string, args: unknown[] = [], given?: RunOptions) {
  const list = checkedList(name, args)
  const options = ownRunOptions(given)
  const transfer = options?.transfer
  const key = options?.key
  checkOption(
    transfer === undefined,
    'transfer',
    'absent: broadcast() sends copies to several workers',
    transfer,
  )
  checkOption(key === undefined, 'key', 'absent: broadcast() goes to all workers', key)
  checkOption(options?.sendNow === undefined, 'sendNow', 'absent from broadcast()', options?.sendNow)
  checkNoMessages('broadcast()', options)
  checkKind(core, options)
  unmark(list)
  return core.broadcast(name, list, inCallersContext(options))
}

function mapCalls(
  { core, copyCosts, name }: Pick<MapSettings, 'core' | 'copyCosts' | 'name'>,
  options: RunOptions | undefined,
): MapCalls {
  const { mapLimit: limit, mapChunks: chunkLimits } = core
  const call = acrossAwaits((input: unknown) => core.submitWhenRoom(name, [input], options))
  const signal = options?.signal
  // Others are for each call by itself, and so is a copy of what a context holds.
  const isOfAll = Object.entries(options ?? {}).every(
    ([key, value]) => key === 'signal' || value === undefined,
  )
  const holdsObjects = contextValues()?.some((value) => typeof value === 'object')
  const eachCall = isOfAll && !holdsObjects ? core.eachCall?.() : undefined
  if (!eachCall || !chunkLimits) return { limit, call, signal, nameInput }
  const chunks = {
    ...chunkLimits,
    call: acrossAwaits((group: readonly unknown[], signal: AbortSignal) =>
      eachCall(name, group, { ...NO_OPTIONS, signal }),
    ),
    onAnswer: copyCosts.watch(name),
  }
  return { limit, call, chunks, signal, nameInput }
}

function checkInputs(name: string, inputs: unknown): void {
  if (
    typeof inputs === 'object' &&
    inputs !== null &&
    (Symbol.iterator in inputs || Symbol.asyncIterator in inputs)
  )
    return
  const expected = 'an iterable of inputs'
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call: `map("${name}")`, expected, received: inputs })
}

// Messages of a worker come in the asynchronous context in which it was started: none, or that of whichever request needed it first. And
// a call that waits for room goes on in that of the one before it.

interface Listening {
  readonly onProgress?: ((value: unknown) => void) | undefined
}

/** The same options, with an onProgress as if it were called where this is: an AsyncLocalStorage gives what it gives here. */
export function inCallersContext<O extends Listening>(options: O | undefined): O | undefined {
  if (!options?.onProgress) return options
  const { onProgress } = options
  const inContexts = enterLater()
  return { ...options, onProgress: (value: unknown) => inContexts(() => onProgress(value)) }
}

// The object behind `executor.tasks`: any property is a function that runs the task of that name.

/**
 * Names that the language itself looks up: with `then`, `await executor.tasks` would take the object for a promise and
 * hang; with `toJSON`, JSON.stringify would run a task, which run() still does. A module that exports `then` cannot even be imported.
 */
const ABSENT = new Set(['then', 'toJSON'])

/**
 * The functions are made on first use. The Proxy sits on the prototype, and its trap puts the function on the object
 * itself, so that the next call finds an ordinary property: a trap on every call would cost more than the call.
 */
export function createTaskMethods<T>(run: (name: string, args: unknown[]) => Promise<unknown>): Tasks<T> {
  const prototype = new Proxy(Object.create(null) as object, {
    get(_, name, receiver: object) {
      if (typeof name === 'symbol' || ABSENT.has(name)) return undefined
      const method = (...args: unknown[]) => run(name, args)
      Object.defineProperty(receiver, name, { value: method, enumerable: true })
      return method
    },
    set: () => false,
  })
  return Object.create(prototype) as Tasks<T>
}
