// The named pools of this thread that `threadwise pools` may list and resize, if the program wants that. Nothing is opened before the first of them.

import { checkOption, ownOptions } from '../../errors/check-options.js'
import { sharedState } from '../../primitives/shared-state.js'
import type { Executor, Size } from '../executor/executor.js'
import { openPoolControl, type ControlledPool, type ControlServer } from './control-server.js'

interface Controlled {
  readonly pools: Set<ControlledPool>
  server: ControlServer | undefined
}

const here = sharedState<Controlled>('controlled', 1, () => ({ pools: new Set(), server: undefined }))

/**
 * The same executor, which can be controlled until it is closed: with `control: true`, or with THREADWISE_CONTROL=1 where it has a name.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function controlled<T>(given: object, create: () => Executor<T>): Executor<T> {
  const { control, name } = Object(ownOptions(given)) as { control?: unknown; name?: string }
  checkOption(control === undefined || typeof control === 'boolean', 'control', 'true or false', control)
  checkOption(
    control !== true || name !== undefined,
    'name',
    'given beside control, which finds pools by it',
    name,
  )
  const executor = create()
  const isWanted = control ?? process.env.THREADWISE_CONTROL === '1'
  return isWanted && name !== undefined ? enter(executor, name) : executor
}

function enter<T>(executor: Executor<T>, name: string): Executor<T> {
  const pool = { name, stats: () => executor.stats(), resize: (size: Size) => executor.resize(size) }
  const close = executor.close.bind(executor)
  const destroy = executor.destroy.bind(executor)
  here.pools.add(pool)
  here.server ??= openPoolControl(threadNumber(), () => [...here.pools])
  const leave = () => {
    if (!here.pools.delete(pool) || here.pools.size > 0) return
    here.server?.close()
    here.server = undefined
  }
  // Not where it rejects: then the pool is open still.
  const ends: Pick<Executor, 'close' | 'destroy' | typeof Symbol.asyncDispose> = {
    close: (options) => close(options).then(leave),
    destroy: (reason) => destroy(reason).then(leave),
    [Symbol.asyncDispose]: () => ends.close(),
  }
  return Object.assign(executor, ends)
}

function threadNumber(): number {
  const { isMainThread, threadId } = process.getBuiltinModule('node:worker_threads')
  return isMainThread ? 0 : threadId
}
