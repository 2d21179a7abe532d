// Sends each call to a worker or to the caller's own thread, and learns from both.

import { preciseNow } from '../../primitives/timers.js'
import type { RunOptions } from '../executor/executor.js'
import type { Submit } from '../executor/submit.js'
import type { AdaptiveDecision } from '../executor/stats.js'
import type { PoolCore } from '../pool/pool-executor.js'
import { RESERVED } from '../task/task-function.js'
import { contexts, contextValues } from '../task/define-context.js'
import type { FunctionModel, FunctionModels } from './function-model.js'
import type { LoopTurns } from './loop-turns.js'
import type { OwnThread } from './own-thread.js'

export interface DeciderParts {
  readonly core: PoolCore
  readonly own: OwnThread
  readonly models: FunctionModels
  readonly turns: LoopTurns
}

/** The first calls of a function in workers are all timed, later one in PROBE_EVERY at least. */
const FIRST_PROBES = 8
const PROBE_EVERY = 64
/** Of the calls that could run inline one in so many goes to a worker: that way may have become cheaper. */
const EXPLORE_EVERY = 1024

export class Decider {
  readonly #parts: DeciderParts
  /** Calls that could run inline, of all functions. */
  #local = 0

  constructor(parts: DeciderParts) {
    this.#parts = parts
    parts.core.observer.onTimed = ({ workerId, busyMs, wentByMessage }, task, outcome) => {
      if (workerId === undefined || task.startsWith(RESERVED)) return
      const model = parts.models.of(task)
      if (busyMs !== undefined) model.ranInWorker(1000 * busyMs, wentByMessage)
      // What failed without a word of its worker may have ended it.
      else if (outcome === 'completed') model.waitedInWorker()
    }
  }

  readonly submit: Submit = (name, args, options) => {
    const model = this.#modelOf(name, options)
    if (model === undefined) return this.#parts.core.submit(name, args, options)
    if (this.#staysHere(model)) return this.#parts.own.submit(name, args)
    return this.#probe(model, () => this.#parts.core.submit(name, args, undefined))
  }

  readonly submitWhenRoom: Submit = (name, args, options) => {
    const model = this.#modelOf(name, options)
    if (model === undefined) return this.#parts.core.submitWhenRoom(name, args, options)
    if (this.#staysHere(model)) return this.#parts.own.submit(name, args)
    return this.#probe(model, () => this.#parts.core.submitWhenRoom(name, args, undefined))
  }

  get decisions(): readonly AdaptiveDecision[] {
    return this.#parts.models.all.map(({ name, place, reason, runUs, copyUs, handOverUs, calls }) => ({
      task: name,
      place,
      reason,
      calls: { ...calls },
      ...(reason === 'unknown' ? { runUs: null } : { runUs }),
      copyUs,
      handOverUs,
    }))
  }

  /** Undefined: the call needs a worker, or is none of the module's. */
  #modelOf(name: string, options: RunOptions | undefined): FunctionModel | undefined {
    if (options !== undefined) return undefined
    if (contexts.count > 0 && contextValues()) return undefined
    return name.startsWith(RESERVED) ? undefined : this.#parts.models.of(name)
  }

  #staysHere(model: FunctionModel): boolean {
    if (model.place === 'pool') return this.#leaves(model)
    const { own, turns, core } = this.#parts
    if (!own.isReady) {
      own.prepare()
      return this.#leaves(model)
    }
    if (model.place === 'alone' && !turns.admits(model, core.open)) return this.#leaves(model)
    if (++this.#local % EXPLORE_EVERY === 0) return this.#leaves(model)
    model.calls.inline++
    return true
  }

  #leaves(model: FunctionModel): false {
    model.calls.pool++
    return false
  }

  #probe(model: FunctionModel, send: () => Promise<unknown>): Promise<unknown> {
    const { pool } = model.calls
    if (pool > FIRST_PROBES && pool % PROBE_EVERY !== 0) return send()
    this.#parts.core.observer.timeNext()
    const started = preciseNow()
    const result = send()
    model.handedOver(1000 * (preciseNow() - started))
    return result
  }
}
