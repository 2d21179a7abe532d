// Functions among the arguments of a call: callback(fn) marks one, and the task gets an async function in its place.
//
//   run('task', [callback(fn)]) --number--> the task's function --the way of task.host--> fn in the caller's thread
//
// Each call that is given one has a number of its own for it, which is kept while the call is open.

import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { sharedState } from '../../primitives/shared-state.js'
import { createStorage, enterLater, type Enter } from './async-scope.js'
import { classes, type RegisteredClass } from './register-class.js'
import { registry, runningCall, type TaskContext } from './task-context.js'
import { RESERVED, type TaskFunction } from './task-function.js'

interface Held {
  readonly run: TaskFunction
  /** Into the contexts of whoever has made the call. */
  readonly enter: Enter
}

interface Callbacks {
  /** Those that were ever made or given to a call: 0 is all that other calls look at. */
  made: number
  readonly marks: WeakSet<object>
  readonly held: Map<number, Held>
}

/** Of this thread, for all copies of the package. */
export const callbacks = sharedState<Callbacks>('callbacks', 2, () => ({
  made: 0,
  marks: new WeakSet(),
  held: new Map(),
}))

const NAME = `${RESERVED}callback:`

/** What stands among the arguments. */
class Callback {
  readonly number: number
  readonly run: TaskFunction

  constructor(run: TaskFunction) {
    this.number = ++callbacks.made
    this.run = run
  }
}

/**
 * Marks a function as an argument of a call: the task gets an async function in its place, which calls it here, as `task.host` calls functions of the
 * executor. Results and errors travel as those of calls. It is released when the call ends; after that what the task has rejects. To be given
 * to `run` or a task method as an argument of its own, not as a part of one; any number of times.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example await pool.tasks.importFile(path, callback((row) => rows.push(row)))
 */
export function callback<Args extends unknown[], Result>(
  fn: (...args: Args) => Result,
): (...args: Args) => Promise<Awaited<Result>> {
  checkOption(typeof fn === 'function', 'the argument of callback()', 'a function', fn)
  registry.storage ??= createStorage<TaskContext>()
  readCallbacks()
  classes.byPrototype.set(Callback.prototype, asClass)
  classes.count = classes.byName.size
  const mark = new Callback(fn)
  callbacks.marks.add(mark)
  return mark as unknown as (...args: Args) => Promise<Awaited<Result>>
}

/** Not by registerClass(), as a worker only reads them: what it writes is looked at by class from then on. And there may be other copies of ours. */
export function readCallbacks(): void {
  classes.byName.set(NAME, asClass)
}

const asClass: RegisteredClass = {
  name: NAME,
  prototype: Callback.prototype,
  toData: (instance) => numberOf(instance as Callback),
  fromData: (data) => functionOf(data as number),
}

export function isMark(value: unknown): value is Callback {
  return callbacks.marks.has(value as object)
}

function numberOf({ number }: Callback): number {
  if (callbacks.held.has(number)) return number
  throw new TypeError('callback() is for an argument of run() or of a task method, not for a part of one')
}

function functionOf(number: number): TaskFunction {
  registry.storage ??= createStorage<TaskContext>() // before the call begins that has it
  return (...args) => {
    const context = runningCall()
    if (context?.callHost) return context.callHost(NAME + number, args)
    return Promise.reject(ended('to be called by the call that was given it'))
  }
}

function ended(expected: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_INVALID_CALL', { call: 'A callback', expected, received: undefined })
}

/** What a task calls by this name; undefined: it is none of these. @throws TW_ERR_INVALID_CALL when its call has ended */
export function callbackNamed(name: string): TaskFunction | undefined {
  if (!name.startsWith(NAME)) return undefined
  return heldAs(Number(name.slice(NAME.length))).run
}

/** Into the contexts of the caller who has given it; undefined: it is none of these, or its call has ended. */
export function contextsOfCallback(name: string): Enter | undefined {
  return name.startsWith(NAME) ? callbacks.held.get(Number(name.slice(NAME.length)))?.enter : undefined
}

/** As errors name what a task calls in the program. */
export function shownHostName(name: string): string {
  return name.startsWith(NAME) ? 'callback()' : `host.${name}`
}

function heldAs(number: number): Held {
  const found = callbacks.held.get(number)
  if (!found) throw ended('to be called before the call ends that was given it')
  return found
}

/**
 * The call with its callbacks, which are released when it has ended.
 *
 * @param copies false: the task gets its arguments as they are, and so functions in place of the marks
 */
export function withCallbacks<Result>(
  args: readonly unknown[],
  copies: boolean,
  call: (args: readonly unknown[]) => Promise<Result>,
): Promise<Result> {
  const given = new Map(args.filter(isMark).map((mark) => [mark, new Callback(mark.run)]))
  if (given.size === 0) return call(args)
  const enter = enterLater()
  for (const { number, run } of given.values()) callbacks.held.set(number, { run, enter })
  const own = args.map((arg) => {
    const ofCall = given.get(arg as Callback)
    return ofCall && !copies ? functionHere(ofCall) : (ofCall ?? arg)
  })
  return call(own).finally(() => {
    for (const { number } of given.values()) callbacks.held.delete(number)
  })
}

/** By the way of task.host here, too, where the calls that it makes itself pass what holds calls back. */
function functionHere({ number }: Callback): TaskFunction {
  return async (...args: unknown[]) =>
    (runningCall()?.callHost ? functionOf(number) : heldAs(number).run)(...args) as unknown
}
