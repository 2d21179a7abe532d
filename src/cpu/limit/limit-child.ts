// Starts children under a CPU limit: picks the first way that works here, the most faithful first.
//
//   none          the limit is what the process has anyway
//   cgroup-v2     the kernel's own quota, exactly as a container gets it
//   cgroup-v1     the same
//   systemd-run   the same, through the user's systemd
//   taskset       whole CPUs only, and not the same thing

import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { cpuBudget, formatCpus } from '../cpu-budget.js'
import { openFileTree } from '../file-tree.js'
import { cgroupV1 } from './limit-cgroup-v1.js'
import { cgroupV2 } from './limit-cgroup-v2.js'
import {
  asGiven,
  type CpuLimit,
  type LimitMethod,
  type LimitMethodName,
  type LimitRequest,
  type OpenedLimit,
} from './limit-method.js'
import { systemdRun } from './limit-systemd-run.js'
import { taskset } from './limit-taskset.js'

export type { CpuLimit, LimitMethodName } from './limit-method.js'

/** Defaults in parentheses; all but `env` are for tests. */
export interface CpuLimitOptions {
  /** Environment that holds PATH and where the user's systemd listens (process.env). */
  env?: Record<string, string | undefined>
  /** Folder that stands for "/" ("/"). */
  root?: string
  /** Ways to try, in this order (all of them). */
  methods?: readonly LimitMethod[]
}

const allMethods: readonly LimitMethod[] = [cgroupV2, cgroupV1, systemdRun, taskset]

/**
 * Opens a CPU limit for child processes. It lies below the cgroup of this process, so outer limits keep holding; it goes
 * away with this process at the latest, except after SIGKILL, when the next call of this function removes it.
 *
 * THREADWISE_CPUS plays no part here: what counts is what the kernel gives. A child inherits the variable, so whoever
 * spawns it should leave the variable out of its environment.
 *
 * @param cpus at least 0.01 (the kernel's smallest quota is 1 ms), at most the CPUs that this process may use.
 * @throws TW_ERR_INVALID_OPTION when `cpus` is no such number; TW_ERR_LIMIT_UNAVAILABLE when it is more than the process
 *   has, or when no way works here; the message lists every way with the reason.
 * @example
 * const limit = await openCpuLimit(0.6)
 * const { file, args } = limit.wrap(process.execPath, ['server.js'])
 * const child = spawn(file, args)
 * limit.adopt(child.pid)
 * await once(child, 'exit')
 * await limit.remove()
 */
export async function openCpuLimit(cpus: number, options: CpuLimitOptions = {}): Promise<CpuLimit> {
  return openLimitNow(cpus, options)
}

function openLimitNow(cpus: number, options: CpuLimitOptions = {}): OpenedLimit {
  const isValid = typeof cpus === 'number' && Number.isFinite(cpus) && cpus >= 0.01
  checkOption(isValid, 'cpus', 'a number of CPUs, at least 0.01', cpus)
  const { root = '/', env = process.env, methods } = options
  const budget = cpuBudget({ root, env: {} }).cpus
  if (Math.abs(cpus - budget) < 1e-6) return unlimited(cpus)
  if (cpus > budget) throw unavailable(cpus, `this process itself may use only ${formatCpus(budget)}`)

  const choice = chooseLimit({ cpus, env, tree: openFileTree(root) }, methods)
  if (!Array.isArray(choice)) return choice
  const reasons = choice.map(({ method, reason }) => `${method}: ${reason}`)
  throw unavailable(cpus, `no way works. ${reasons.join('; ')}`)
}

/** Why a method was passed over. */
export interface RefusedMethod {
  method: LimitMethodName
  reason: string
}

/** The first method that works, or why each of them does not. */
export function chooseLimit(
  request: LimitRequest,
  methods: readonly LimitMethod[] = allMethods,
): OpenedLimit | RefusedMethod[] {
  const refusals: RefusedMethod[] = []
  for (const method of methods) {
    const result = method.open(request)
    if (!('refused' in result)) return result
    refusals.push({ method: method.name, reason: result.refused })
  }
  return refusals
}

function unlimited(cpus: number): OpenedLimit {
  const note = `No limit was needed: this process may use ${formatCpus(cpus)} anyway.`
  return {
    cpus,
    method: 'none',
    exact: true,
    note,
    wrap: asGiven,
    adopt: () => {},
    remove: async () => {},
    removeNow: () => {},
  }
}

function unavailable(cpus: number, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_LIMIT_UNAVAILABLE', { cpus, reason })
}
