// executor(): the executor that a saved measurement advises for the CPUs that this process has.

import { fileURLToPath } from 'node:url'
import { cpuBudget } from '../../cpu/cpu-budget.js'
import { checkNames, checkObject, checkOption, checkText, ownOptions } from '../../errors/check-options.js'
import { isThreadwiseError } from '../../errors/errors.js'
import type { AdaptiveOptions } from '../adaptive/adaptive-executor.js'
import type { BullmqOptions } from '../bullmq/options.js'
import { createExecutor } from '../create-executor.js'
import type { Executor, ProfileChoice } from '../executor/executor.js'
import { ALL_OPTIONS, optionsOf } from '../executor/allowed-options.js'
import type { NamedKind } from '../executor/stats.js'
import { resolveModule } from '../executor/task-module.js'
import type { ConcurrentOptions } from '../local/concurrent-executor.js'
import type { ProcessesOptions } from '../processes/processes-executor.js'
import { chooseEntry, knowsModule } from './choose.js'
import { findProfile, readProfile } from './profile.js'

/** Options of {@link executor}: its own, and those of all executors, of which each takes what it knows. All have defaults. */
export interface ProfileOptions extends AdaptiveOptions, ConcurrentOptions, ProcessesOptions, QueueOptions {
  /** Path or file URL of the profile. Default: threadwise.json in the folder of the module or the nearest one above it, up to the root of its package. */
  readonly profile?: string | URL
  /** Whose choice to follow, where the profile holds several tasks of the module and they differ. */
  readonly task?: string
  /** The executor for the time before anything was measured: there is no profile, or it says nothing about the module. Default: none. */
  readonly fallback?: NamedKind
}

/** Those of `bullmq` that no other executor has. */
type QueueOptions = Partial<Omit<BullmqOptions, keyof AdaptiveOptions>>

const KINDS: readonly NamedKind[] = ['inline', 'concurrent', 'threads', 'processes', 'adaptive', 'bullmq']
const EXPECTED_KIND = KINDS.join(', ')
const NAMES = new Set(['profile', 'task', 'fallback', ...ALL_OPTIONS])

/**
 * Runs the tasks where "threadwise measure FILE --save" found it best, by the CPU budget that it finds now. What it chose,
 * and why, is in `stats().profile`. The environment variable THREADWISE_EXECUTOR overrides the choice for an experiment: a kind, or a
 * kind and a size, such as `threads:4`.
 *
 * @throws TW_ERR_PROFILE_NOT_FOUND, TW_ERR_PROFILE_INVALID (a broken file), TW_ERR_PROFILE_MISMATCH (of another module)
 * @example
 * await using pool = executor(new URL('./tasks.js', import.meta.url), { fallback: 'threads', maxQueue: 1000 })
 * console.log(pool.kind, pool.stats().profile?.sentence)
 */
export function executor<T = object>(module: URL | string, options: ProfileOptions = {}): Executor<T> {
  const url = resolveModule(module)
  checkObject('options', options)
  const { profile, task, fallback, ...others } = ownOptions(options)
  const isFile = profile === undefined || profile instanceof URL || typeof profile === 'string'
  checkOption(isFile, 'profile', 'the path or URL of a threadwise.json', profile)
  checkText('task', task, 'the name of a task in the profile')
  const isKind = fallback === undefined || KINDS.includes(fallback)
  checkOption(isKind, 'fallback', `one of ${EXPECTED_KIND}`, fallback)
  checkNames(options, NAMES)
  const asked = askedFor(process.env.THREADWISE_EXECUTOR)
  if (asked) {
    // The size of an experiment replaces the program's own.
    const { kind, size } = asked
    const { budget, ...rest } = others
    const own = size === undefined ? { budget } : { [kind === 'concurrent' ? 'concurrency' : 'size']: size }
    return createExecutor<T>(kind, url, undefined, optionsOf(kind, { ...rest, ...own }))
  }
  const found = chooseOr(fallback, url, { profile, task })
  if (!found) return createExecutor<T>(fallback!, url, undefined, optionsOf(fallback!, others))
  const { kind, size, choice } = found
  // Who gives a budget has said how many workers there are to be, as who gives a size.
  const advised = others.budget === undefined ? size : undefined
  const chosen = createExecutor<T>(kind, url, kind === 'concurrent' ? size : advised, optionsOf(kind, others))
  return {
    ...chosen,
    get size() {
      return chosen.size
    },
    get hasRoom() {
      return chosen.hasRoom
    },
    stats: () => ({ ...chosen.stats(), profile: choice }),
    inspect: async () => ({ ...(await chosen.inspect()), profile: choice }),
  }
}

/** THREADWISE_EXECUTOR: `threads`, or `threads:4`. */
function askedFor(text: string | undefined): { kind: NamedKind; size: number | undefined } | undefined {
  if (!text) return undefined
  const [, kind, size] = /^(\w+)(?::([1-9]\d*))?$/.exec(text) ?? []
  const isValid = KINDS.includes(kind as NamedKind)
  checkOption(
    isValid,
    'THREADWISE_EXECUTOR',
    `one of ${EXPECTED_KIND}, also with a size, as in threads:4`,
    text,
  )
  return { kind: kind as NamedKind, size: size === undefined ? undefined : Number(size) }
}

interface Choice {
  readonly kind: NamedKind
  readonly size: number
  readonly choice: ProfileChoice
}

/** undefined: nothing was measured, and there is a fallback. A broken profile, or tasks that disagree, are errors all the same. */
function chooseOr(
  fallback: NamedKind | undefined,
  url: string,
  { profile: given, task }: ProfileOptions,
): Choice | undefined {
  checkOption(url.startsWith('file:'), 'module', 'a file URL, to look it up in the profile', url)
  const found = readOr(fallback, url, given)
  if (!found) return undefined
  const { file, profile } = found
  if (fallback !== undefined && !knowsModule(profile, { file, module: url })) return undefined
  const { cpus } = cpuBudget()
  const entry = chooseEntry(profile, { file, module: url, task, cpus })
  const { executor: kind, size, sentence, cpus: measuredCpus } = entry
  return { kind, size, choice: { file, measuredCpus, budgetCpus: cpus, sentence } }
}

function readOr(fallback: NamedKind | undefined, url: string, given: string | URL | undefined) {
  try {
    return given === undefined ? findProfile(url) : readGiven(given)
  } catch (error) {
    const isMissing = isThreadwiseError(error) && error.code === 'TW_ERR_PROFILE_NOT_FOUND'
    if (fallback !== undefined && isMissing) return undefined
    throw error
  }
}

function readGiven(given: string | URL) {
  const isUrl = given instanceof URL || given.startsWith('file:')
  const file = isUrl ? fileURLToPath(given) : given
  return { file, profile: readProfile(file) }
}
