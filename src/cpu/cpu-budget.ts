// The CPU budget: how many CPUs this process really has, as a fraction, and where that number comes from.

import { availableParallelism, cpus as hostCpus } from 'node:os'
import { checkOption } from '../errors/check-options.js'
import { allowedCpus, onlineCpus } from './affinity.js'
import { quotaLevels, tightestQuota, type LimitedLevel, type QuotaLevel } from './cgroup-quota.js'
import { openFileTree } from './file-tree.js'

/** Where the number of CPUs comes from. */
export type CpuSource = 'THREADWISE_CPUS' | 'cgroup-v2' | 'cgroup-v1' | 'affinity' | 'host'

/** The CPUs that this process may use, and what says so. All numbers are CPUs, fractions included. */
export interface CpuBudget {
  /** CPUs that the process may use; a quota of 0.6 stays 0.6. */
  cpus: number
  /** CPUs of the machine: os.cpus().length. */
  host: number
  /** CPUs that the process may run on. */
  affinity: number
  /** The tightest cgroup quota, in CPUs; null: none. */
  quota: number | null
  /** What Node itself answers: os.availableParallelism(). */
  node: number
  /** What decided `cpus`; of equals the more deliberate one (a quota before the affinity, that before the host). */
  source: CpuSource
  /** The file that decided; null for THREADWISE_CPUS and the host. */
  file: string | null
  /** Every cgroup level that could set a quota, the process's own first. */
  quotas: QuotaLevel[]
  /** What does not fit together, in sentences: Node's answer, an override, files that were ignored. */
  disagreements: string[]
}

/** Defaults in parentheses; a recorded tree (any root but "/") takes nothing from the machine that it is read on. */
export interface CpuBudgetOptions {
  /** Folder that stands for "/" ("/"). */
  root?: string
  /** Environment that may hold THREADWISE_CPUS (process.env; for a recorded tree none). */
  env?: Record<string, string | undefined>
  /** CPUs of the machine (os.cpus().length; for a recorded tree those in /sys/devices/system/cpu/online). */
  host?: number
  /** Node's answer (os.availableParallelism(); for a recorded tree that of a Node that sees no cgroup). */
  node?: number
  /** As process.platform (that; for a recorded tree "linux"). */
  platform?: string
}

/**
 * The CPUs that this process may use, the smallest of cgroup quotas (v1 and v2, all ancestors), CPU affinity and machine,
 * read anew at each call (a fraction of a millisecond). The environment variable THREADWISE_CPUS overrides it, for example where
 * Kubernetes sets CPU requests but no limit.
 *
 * @throws TW_ERR_INVALID_OPTION when THREADWISE_CPUS is set and is not a positive number.
 * @example
 * const { cpus, source } = cpuBudget() // { cpus: 0.6, source: 'cgroup-v2', ... }
 * const size = wholeCpus(cpus)         // 1
 */
export function cpuBudget(options: CpuBudgetOptions = {}): CpuBudget {
  const tree = openFileTree(options.root)
  const isHere = tree.root === '/'
  const override = parseOverride((options.env ?? (isHere ? process.env : {})).THREADWISE_CPUS)
  const isLinux = (options.platform ?? (isHere ? process.platform : 'linux')) === 'linux'

  const host = options.host ?? (isHere ? countHostCpus() : (onlineCpus(tree)?.size ?? 1))
  const allowed = isLinux ? allowedCpus(tree) : null
  const node = options.node ?? (isHere ? availableParallelism() : Math.min(host, allowed?.length ?? host))
  const affinity = Math.min(host, allowed?.length ?? (isLinux ? node : host))
  const quotas = isLinux ? quotaLevels(tree) : []
  const tightest = tightestQuota(quotas)

  const kernel = decide(host, affinity, tightest)
  const decision: Decision = override ? { cpus: override, source: 'THREADWISE_CPUS', file: null } : kernel
  const disagreements = [
    ...disagreeingNode(node, decision),
    ...disagreeingOverride(override, kernel),
    ...tree.problems,
  ]
  return { ...decision, host, affinity, quota: tightest?.cpus ?? null, node, quotas, disagreements }
}

/**
 * What the kernel gives this process, whatever THREADWISE_CPUS says: no measurement can use more.
 *
 * @example const limit = Math.min(cpuBudget().cpus, measurableCpus())
 */
export function measurableCpus(): number {
  return cpuBudget({ env: {} }).cpus
}

/**
 * Workers that a budget can keep busy: rounded down, at least one.
 *
 * @param budget a number of CPUs
 * @example const workers = wholeCpus(1.5) // 1; so is wholeCpus(0.6)
 */
export function wholeCpus(budget: number): number {
  return Math.max(1, Math.floor(budget + 1e-9))
}

/** "0.6 CPU", "1 CPU", "1.5 CPUs": at most two decimals. */
export function formatCpus(cpus: number): string {
  return `${Number(cpus.toFixed(2))} ${cpus <= 1 ? 'CPU' : 'CPUs'}`
}

interface Decision {
  cpus: number
  source: CpuSource
  file: string | null
}

function parseOverride(text: string | undefined): number | null {
  if (text === undefined) return null
  const cpus = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN
  const isValid = cpus > 0 && Number.isFinite(cpus)
  checkOption(isValid, 'THREADWISE_CPUS', 'a positive number of CPUs, such as 0.6 or 2', text)
  return cpus
}

/**
 * Checks and keeps THREADWISE_CPUS as it is now, for a {@link cpuBudget} that is read later, where nobody could catch its error.
 *
 * @throws TW_ERR_INVALID_OPTION when THREADWISE_CPUS is set and is not a positive number.
 * @example
 * const asked = checkOverride()
 * setImmediate(() => use(cpuBudget(asked)))
 */
export function checkOverride(): CpuBudgetOptions {
  const { THREADWISE_CPUS } = process.env
  parseOverride(THREADWISE_CPUS)
  return { env: { THREADWISE_CPUS } }
}

let hostCount: number | undefined

/** Kept for the life of the process: os.cpus() reads several files per CPU, which takes milliseconds on a big machine. */
function countHostCpus(): number {
  hostCount ??= hostCpus().length || availableParallelism() // empty where /proc/stat is hidden (nodejs/node#38190)
  return hostCount
}

function decide(host: number, affinity: number, tightest: LimitedLevel | null): Decision {
  if (tightest && tightest.cpus <= affinity) {
    return { cpus: tightest.cpus, source: tightest.version, file: tightest.file }
  }
  if (affinity < host) return { cpus: affinity, source: 'affinity', file: '/proc/self/status' }
  return { cpus: host, source: 'host', file: null }
}

function disagreeingNode(node: number, { cpus, source }: Decision): string[] {
  if (node === wholeCpus(cpus)) return []
  const pool = 'a pool sized by os.availableParallelism() would'
  const consequence = node > cpus ? excess(source) : 'leave CPUs unused'
  return [`Node answers ${node}, but ${saying(source)} ${formatCpus(cpus)}: ${pool} ${consequence}.`]
}

function disagreeingOverride(override: number | null, kernel: Decision): string[] {
  if (override === null || override <= kernel.cpus) return []
  const actual = `${saying(kernel.source)} ${formatCpus(kernel.cpus)}`
  return [`THREADWISE_CPUS says ${formatCpus(override)}, but ${actual}: the kernel will not give more.`]
}

function saying(source: CpuSource): string {
  if (source === 'THREADWISE_CPUS') return 'THREADWISE_CPUS says'
  if (source === 'affinity') return 'the CPU affinity allows'
  return source === 'host' ? 'the machine has' : 'the cgroup quota is'
}

function excess(source: CpuSource): string {
  return source === 'cgroup-v1' || source === 'cgroup-v2' ? 'be throttled' : 'be larger than the budget'
}
