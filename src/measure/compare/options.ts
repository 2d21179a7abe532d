// Options of a comparison: raw once, then resolved and read-only.

import { measurableCpus, wholeCpus } from '../../cpu/cpu-budget.js'
import {
  checkCount,
  checkFunction,
  checkList,
  checkNames,
  checkObject,
  checkOption,
  checkSignal,
  checkText,
  checkVariables,
  checkWord,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { isUrl } from '../../primitives/any-realm.js'
import type { ComparePhase } from './version-world.js'

/** One of the versions of {@link compare}: a file, or a file with what else makes it another version. */
export type VersionGiven = string | URL | VersionOptions

/** A file, and what else makes it another version than the others. */
export interface VersionOptions {
  /** A task module, with `task`; or a file that exports a workload, or several such files: a suite. */
  readonly file: string | URL | readonly (string | URL)[]
  /** The exported function. Default: the option `task` of all. */
  readonly task?: string | undefined
  /** A variant of a workload file. Default: each of them is a workload of its own. */
  readonly variant?: string | undefined
  /** What it is called in the result. Default: what makes it different. */
  readonly name?: string | undefined
  /** The commit that the file comes from, for the result. */
  readonly ref?: string | undefined
  /** Path of the Node that runs it. Default: the one that runs this program. */
  readonly node?: string | undefined
  /** Environment variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Working directory. Default: that of this process. */
  readonly cwd?: string | undefined
}

/** Options of {@link compare}. */
export interface CompareOptions {
  /** The exported function of task modules. Default: the files export workloads. */
  readonly task?: string | undefined
  /** Argument lists for the function, used in turn. Default: one call without arguments. */
  readonly args?: readonly (readonly unknown[])[] | undefined
  /** What runs the calls: 'inline', the default, calls the function itself; 'concurrent', 'threads' or 'processes'. */
  readonly executor?: ComparedExecutor | undefined
  /** Workers of threads and processes, open calls of concurrent. Default: as many as there are CPUs; 16 of concurrent. */
  readonly size?: number | undefined
  /** CPU limit of each process, such as 0.6. Default: none. */
  readonly cpus?: number | undefined
  /** Seconds that the whole run may take. Default: 20 for each workload; 60 on several threads or processes, or under a limit. */
  readonly budget?: number | undefined
  /** Differences up to this share count as none: 0.05 is 5 %, the default. */
  readonly tolerance?: number | undefined
  /** End as soon as it is known whether a version is slower by more than the tolerance. Default: as soon as a difference, or that there is none, is known to 1 %. */
  readonly isGate?: boolean | undefined
  /** Processes of each version, 2 to 16. Default 4. */
  readonly processes?: number | undefined
  /** Seed of the order of processes and windows. Default: from the clock. */
  readonly seed?: number | undefined
  /** Aborting ends the run; the result holds what is known by then. Before anything is compared, compare() rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called at each step. */
  readonly onProgress?: ((progress: CompareProgress) => void) | undefined
  /** The command that repeats the run, for the report. */
  readonly command?: string | undefined
}

/** An executor on which versions can be compared. */
export type ComparedExecutor = 'inline' | 'concurrent' | 'threads' | 'processes'

/** A step of a comparison. */
export interface CompareProgress {
  readonly workload: string
  /** Number of the workload, from 1, and how many there are. */
  readonly number: number
  readonly count: number
  readonly phase: ComparePhase
  /** Since the run began, and in all at most. */
  readonly seconds: number
  readonly budgetSeconds: number
  /** Time of a call, new over old, so far; null while nobody knows. */
  readonly ratio: number | null
}

const OPTIONS = optionNames(
  'task args executor size cpus budget tolerance isGate processes seed signal onProgress command',
)
const VERSION_OPTIONS = optionNames('file task variant name ref node env cwd')

/** For each workload: in one thread, and in several or under a limit. */
const SECONDS_EACH = { direct: 20, placed: 60 }
const MAX_PROCESSES = 16
const MAX_WORKERS = 1024
const OPEN_CALLS = 16
const EXECUTORS: readonly ComparedExecutor[] = ['inline', 'concurrent', 'threads', 'processes']

/** Where calls run, unless they are made directly. */
export interface ExecutorPlace {
  readonly executor: ComparedExecutor
  readonly size: number
  /** Of each process. */
  readonly cpus: number
}

export interface ResolvedCompareOptions extends Omit<
  CompareOptions,
  'budget' | 'executor' | 'size' | 'cpus'
> {
  /** Null: calls are made directly. */
  readonly place: ExecutorPlace | null
  /** The CPU limit that was given. */
  readonly cpus: number | null
  readonly secondsEach: number
  /** Null: by the number of workloads. */
  readonly budget: number | null
  readonly tolerance: number
  readonly isGate: boolean
  readonly processes: number
  readonly seed: number
  readonly command: string
  readonly onProgress: (progress: CompareProgress) => void
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveCompareOptions(given: CompareOptions): ResolvedCompareOptions {
  checkObject('options', given)
  const raw = ownOptions(given)
  checkNames(raw, OPTIONS)
  const { executor, size, cpus, ...others } = raw
  const {
    args,
    budget,
    tolerance = 0.05,
    processes = 4,
    isGate = false,
    seed = Date.now() % 2 ** 32,
  } = others
  checkText('task', raw.task, 'the name of an exported function')
  if (args !== undefined) checkList('args', args, 'argument lists, such as [[1, 2]]', Array.isArray)
  checkOption(
    budget === undefined || (budget >= 3 && budget <= 86_400),
    'budget',
    'seconds from 3 to 86400',
    budget,
  )
  checkOption(
    tolerance >= 0.005 && tolerance <= 1,
    'tolerance',
    'a share from 0.005 to 1, such as 0.05 for 5 %',
    tolerance,
  )
  checkCount('processes', processes, MAX_PROCESSES, 2)
  const place = placeOf({ executor, size, cpus })
  checkOption(Number.isSafeInteger(seed), 'seed', 'a whole number', seed)
  checkSignal('signal', raw.signal)
  checkFunction('onProgress', raw.onProgress)
  const { command = '', onProgress = () => {} } = raw
  const secondsEach = place === null ? SECONDS_EACH.direct : SECONDS_EACH.placed
  return {
    ...others,
    place,
    cpus: cpus ?? null,
    secondsEach,
    budget: budget ?? null,
    tolerance,
    processes,
    isGate,
    seed,
    command,
    onProgress,
  }
}

function placeOf({ executor = 'inline', size, cpus }: Pick<CompareOptions, 'executor' | 'size' | 'cpus'>) {
  checkWord('executor', executor, EXECUTORS)
  if (size !== undefined) checkCount('size', size, MAX_WORKERS)
  const hasSize = executor !== 'inline'
  checkOption(
    size === undefined || hasSize,
    'size',
    'used with the executors threads, processes or concurrent',
    size,
  )
  checkOption(
    cpus === undefined || (Number.isFinite(cpus) && cpus > 0),
    'cpus',
    'a number of CPUs above 0, such as 0.6',
    cpus,
  )
  if (executor === 'inline' && cpus === undefined) return null
  const limit = cpus ?? measurableCpus()
  const most = executor === 'concurrent' ? OPEN_CALLS : wholeCpus(limit)
  return { executor, size: hasSize ? (size ?? most) : 1, cpus: limit }
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkVersions(given: readonly VersionGiven[]): VersionOptions[] {
  const isList = Array.isArray(given) && given.length >= 2
  checkOption(
    isList,
    'versions',
    'a list of at least two versions: the old one, and what is compared with it',
    given,
  )
  return given.map((version) => {
    if (typeof version === 'string' || isUrl(version)) return { file: version }
    checkObject('versions', version, 'a file, or an object with a file')
    const raw = ownOptions(version)
    checkNames(raw, VERSION_OPTIONS, 'versions.')
    const isFile = (one: unknown) => (typeof one === 'string' && one !== '') || isUrl(one)
    const isValid = Array.isArray(raw.file) ? raw.file.length > 0 && raw.file.every(isFile) : isFile(raw.file)
    checkOption(isValid, 'versions.file', 'a path or a URL, or a list of them', raw.file)
    for (const name of ['task', 'variant', 'name', 'ref', 'node', 'cwd'] as const)
      checkText(`versions.${name}`, raw[name], 'text that is not empty')
    if (raw.env !== undefined) checkVariables('versions.env', raw.env)
    return raw
  })
}
