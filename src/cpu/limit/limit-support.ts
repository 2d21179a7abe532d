// Which CPU limits could be emulated here, found out by opening one and removing it again.

import { cpuBudget } from '../cpu-budget.js'
import { openFileTree } from '../file-tree.js'
import { chooseLimit, type CpuLimitOptions, type RefusedMethod } from './limit-child.js'
import type { LimitMethodName } from './limit-method.js'

export interface LimitSupport {
  /** The limit that was tried, in CPUs. */
  cpus: number
  /** The way that works; null: none does. */
  method: LimitMethodName | null
  exact: boolean
  /** What it would do, one sentence; empty where nothing works. */
  note: string
  /** The ways that do not work, when none does. */
  refusals: RefusedMethod[]
}

/** How a limit below the budget would be made: a fraction of a CPU and, if that cannot be exact, a whole one. */
export function limitSupport(options: CpuLimitOptions = {}): LimitSupport[] {
  const { cpus } = cpuBudget({ root: options.root ?? '/', env: {} })
  const smaller = Math.max(0.01, Number((cpus / 2).toFixed(2)))
  const fraction = tryLimit(cpus > 0.6 ? 0.6 : smaller, options)
  return fraction.exact || cpus <= 1 ? [fraction] : [fraction, tryLimit(1, options)]
}

function tryLimit(cpus: number, { env = process.env, root, methods }: CpuLimitOptions): LimitSupport {
  const choice = chooseLimit({ cpus, env, tree: openFileTree(root) }, methods)
  if (Array.isArray(choice)) return { cpus, method: null, exact: false, note: '', refusals: choice }
  choice.removeNow()
  return { cpus, method: choice.method, exact: choice.exact, note: choice.note, refusals: [] }
}
