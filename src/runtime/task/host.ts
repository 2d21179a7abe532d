// Functions of the program that its tasks may call: the option `host`, and `task.host` inside a task.
//
//   task.host.lookUp(key) --the way of forks--> callHost() in the program's thread --result or error--> the promise in the task

import { checkObject, checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { callbackNamed } from './callback.js'
import { registry, type AbortableContext } from './task-context.js'

/** What tasks may call, by name. */
export type HostFunctions = Readonly<Record<string, (...args: never[]) => unknown>>

export interface HostCall {
  readonly name: string
  readonly args: readonly unknown[]
  /** Aborts with the call whose task has made this one. */
  readonly signal: AbortSignal
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkHost(host: unknown): asserts host is HostFunctions | undefined {
  if (host === undefined) return
  checkObject('host', host, 'an object of functions')
  for (const [name, value] of Object.entries(host as object) as [string, unknown][]) {
    checkOption(typeof value === 'function', `host.${name}`, 'a function', value)
    checkOption(
      name !== 'then',
      'host.then',
      'a function of another name: it would make a promise of task.host',
      value,
    )
  }
}

/** Throws as the function does. It finds `signal` as `task.signal`. */
export function callHost(host: HostFunctions | undefined, { name, args, signal }: HostCall): unknown {
  const given = callbackNamed(name)
  if (!given && !(host && Object.hasOwn(host, name))) {
    const names = Object.keys(host ?? {})
    const known = names.length === 0 ? 'the executor has none' : `there are ${names.join(', ')}`
    const expected = `a function of the option host (${known})`
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
      call: `task.host.${name}()`,
      expected,
      received: undefined,
    })
  }
  const called = given ?? host![name]!
  const call = () => called(...(args as never[])) as unknown
  return registry.storage ? registry.storage.run({ signal, place: registry.place ?? HERE }, call) : call()
}

const HERE = { info: { name: 'main', id: 0, slot: 0 }, workerData: undefined }

/** The same for a task in this thread: rejects when its call is aborted, whatever the function does. */
export function callHostHere(
  host: HostFunctions | undefined,
  { name, args }: Omit<HostCall, 'signal'>,
  caller: AbortableContext,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (caller.isAborted) return reject(caller.signal.reason as Error)
    const release = caller.onAbort(reject)
    const called = (async () => callHost(host, { name, args, signal: caller.signal }))()
    called.then(resolve, reject).finally(release)
  })
}
