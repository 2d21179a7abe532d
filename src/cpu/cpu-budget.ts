// The CPU budget: how many CPUs this process really has, as a fraction, and where that number comes from.

import { availableParallelism, cpus as hostCpus } from 'node:os'
import { checkNames, checkOption, optionNames, ownOptions } from '../errors/check-options.js'
import { AFFINITY_FILE, allowedCpus, onlineCpus } from './affinity.js'
import { quotaLevels, tightestQuota, type LimitedLevel, type QuotaLevel } from './cgroup-quota.js'
import { openFileTree } from './file-tree.js'
import { unseenLimit } from './unseen-limits.js'

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
  /** The file that decided; null for THREADWISE_CPUS, the host, and an affinity that Node tells of. */
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

const BUDGET_OPTIONS = optionNames('root env host node platform')

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
export function cpuBudget(given: CpuBudgetOptions = {}): CpuBudget {
  const options = ownOptions(given)
  checkNames(options, BUDGET_OPTIONS)
  const tree = openFileTree(options.root)
  const isHere = tree.root === '/'
  const env = options.env ?? (isHere ? process.env : {})
  const override = parseOverride(env.THREADWISE_CPUS)
  const isLinux = (options.platform ?? (isHere ? process.platform : 'linux')) === 'linux'

  const online = onlineCpus(tree)?.size
  const answer = options.node ?? (isHere ? availableParallelism() : undefined)
  const host = options.host ?? (isHere ? countHostCpus(`${answer} ${online}`) : (online ?? 1))
  const allowed = isLinux ? allowedCpus(tree) : null
  const node = answer ?? Math.min(host, allowed?.length ?? host)
  // Elsewhere Node's answer is the affinity: it counts the mask of Windows, the cpuset of FreeBSD (libuv/libuv#4520).
  const affinity = Math.min(host, allowed?.length ?? node)
  const quotas = isLinux ? quotaLevels(tree) : []
  const tightest = tightestQuota(quotas)

  const kernel = decide({ host, affinity, file: allowed && AFFINITY_FILE }, tightest)
  const decision: Decision = override ? { cpus: override, source: 'THREADWISE_CPUS', file: null } : kernel
  const disagreements = [
    ...disagreeingNode(node, decision),
    ...disagreeingOverride(override, kernel),
    ...(decision.source === 'host' && !tightest ? [unseenLimit(env) ?? []].flat() : []),
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
  checkOption(budget >= 0 && budget < Infinity, 'the budget of wholeCpus()', 'a number of CPUs', budget)
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

/** More than any machine on which Node runs. Pools take their size from it. */
const MAX_CPUS = 4096

function parseOverride(text: string | undefined): number | null {
  if (text === undefined) return null
  const cpus = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN
  const isValid = cpus > 0 && cpus <= MAX_CPUS
  checkOption(
    isValid,
    'THREADWISE_CPUS',
    `a positive number of CPUs up to ${MAX_CPUS}, such as 0.6 or 2`,
    text,
  )
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

let counted: { readonly signs: string; readonly cpus: number } | undefined

/**
 * Counted again when `signs` change, as when CPUs are added to a virtual machine: os.cpus() reads several files per CPU, which takes
 * milliseconds on a big machine.
 */
function countHostCpus(signs: string): number {
  if (counted?.signs !== signs) {
    const cpus = hostCpus().length || availableParallelism() // empty where /proc/stat is hidden (nodejs/node#38190)
    counted = { signs, cpus }
  }
  return counted.cpus
}

interface Machine {
  readonly host: number
  readonly affinity: number
  /** That says which CPUs; null: Node's answer does. */
  readonly file: string | null
}

function decide({ host, affinity, file }: Machine, tightest: LimitedLevel | null): Decision {
  if (tightest && tightest.cpus <= affinity) {
    return { cpus: tightest.cpus, source: tightest.version, file: tightest.file }
  }
  if (affinity < host) return { cpus: affinity, source: 'affinity', file }
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
