// executor(): the executor that a saved measurement advises for the CPUs that this process has.

import { fileURLToPath } from 'node:url'
import { cpuBudget } from '../../cpu/cpu-budget.js'
import { checkNames, checkObject, checkOption, checkText, ownOptions } from '../../errors/check-options.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { isUrl } from '../../primitives/any-realm.js'
import type { AdaptiveOptions } from '../adaptive/adaptive-executor.js'
import type { BullmqOptions } from '../bullmq/options.js'
import { createExecutor } from '../create-executor.js'
import type { Executor, ProfileChoice } from '../executor/executor.js'
import { optionsOnNode, optionsOf } from '../executor/allowed-options.js'
import { NAMED_KINDS, type NamedKind } from '../executor/stats.js'
import { resolveModule } from '../executor/task-module.js'
import type { ConcurrentOptions } from '../local/concurrent-executor.js'
import type { ProcessesOptions } from '../processes/processes-executor.js'
import { chooseEntry } from './choose.js'
import { findProfile, readProfile } from './profile.js'

/** Options of {@link executor}: its own, and those of all executors, of which each takes what it knows. All have defaults. */
export interface ProfileOptions extends AdaptiveOptions, ConcurrentOptions, ProcessesOptions, QueueOptions {
  /** Path or file URL of the profile. Default: threadwise.json in the folder of the module or the nearest one above it, up to the root of its package. */
  readonly profile?: string | URL
  /** Whose choice to follow, where the profile holds several tasks of the module and they differ. */
  readonly task?: string
  /** The executor for the time before anything was measured: there is no profile, or it says nothing about the module. Default 'inline'. */
  readonly fallback?: NamedKind
}

/** Those of `bullmq` that no other executor has. */
type QueueOptions = Partial<Omit<BullmqOptions, keyof AdaptiveOptions>>

const EXPECTED_KIND = NAMED_KINDS.join(', ')
const NAMES = new Set(['profile', 'task', 'fallback', ...optionsOnNode()])

/**
 * Runs the tasks where "threadwise measure FILE --save" found it best, by the CPU budget that it finds now. What it chose,
 * and why, is in `stats().profile`. Where nothing was measured for the module, or for `task`, or where several tasks differ and none is
 * named, it is the `fallback`, and the process gets one warning with code TW_WARN_NOT_MEASURED that says what to do. The environment
 * variable THREADWISE_EXECUTOR overrides the choice for an experiment: a kind, or a kind and a size, such as `threads:4`.
 *
 * @throws TW_ERR_PROFILE_INVALID (a broken file), TW_ERR_INVALID_OPTION
 * @example
 * await using pool = executor(new URL('./tasks.js', import.meta.url), { fallback: 'threads', maxQueue: 1000 })
 * console.log(pool.kind, pool.stats().profile?.sentence)
 */
export function executor<T = object>(module: URL | string, options: ProfileOptions = {}): Executor<T> {
  const url = resolveModule(module)
  checkObject('options', options)
  const { profile, task, fallback = 'inline', ...others } = ownOptions(options)
  const isFile = profile === undefined || isUrl(profile) || typeof profile === 'string'
  checkOption(isFile, 'profile', 'the path or URL of a threadwise.json', profile)
  checkText('task', task, 'the name of a task in the profile')
  checkOption(NAMED_KINDS.includes(fallback), 'fallback', `one of ${EXPECTED_KIND}`, fallback)
  checkNames(options, NAMES)
  const { budget, ...rest } = others
  const found = askedFor(process.env.THREADWISE_EXECUTOR) ?? choose(fallback, url, { profile, task })
  const { kind, size, choice, isExperiment } = found
  // Who gives a budget has said how many workers there are to be, as who gives a size; the size of an experiment replaces both.
  const isOwn = budget !== undefined && kind !== 'concurrent' && !(isExperiment && size !== undefined)
  const given = isExperiment && size !== undefined ? withSize(kind, size, rest) : { ...rest, budget }
  const advised = isOwn || isExperiment ? undefined : size
  return withChoice(createExecutor<T>(kind, url, advised, optionsOf(kind, given)), choice)
}

function withSize<O extends object>(kind: NamedKind, size: number, options: O): O {
  return { ...options, [kind === 'concurrent' ? 'concurrency' : 'size']: size }
}

function withChoice<T>(chosen: Executor<T>, choice: ProfileChoice): Executor<T> {
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
function askedFor(text: string | undefined): Choice | undefined {
  if (!text) return undefined
  const [, kind, size] = /^(\w+)(?::([1-9]\d*))?$/.exec(text) ?? []
  const isValid = NAMED_KINDS.includes(kind as NamedKind)
  checkOption(
    isValid,
    'THREADWISE_EXECUTOR',
    `one of ${EXPECTED_KIND}, also with a size, as in threads:4`,
    text,
  )
  return {
    kind: kind as NamedKind,
    size: size === undefined ? undefined : Number(size),
    choice: unmeasured(`THREADWISE_EXECUTOR asks for ${text}.`),
    isExperiment: true,
  }
}

interface Choice {
  readonly kind: NamedKind
  /** Undefined: as the options say. */
  readonly size: number | undefined
  readonly choice: ProfileChoice
  readonly isExperiment?: boolean
}

function unmeasured(sentence: string): ProfileChoice {
  return { file: null, measuredCpus: null, budgetCpus: cpuBudget().cpus, sentence }
}

/** A measurement that tells nothing fails no start. A broken profile does: nobody knows what it has said. */
function choose(fallback: NamedKind, url: string, { profile: given, task }: ProfileOptions): Choice {
  checkOption(url.startsWith('file:'), 'module', 'a file URL, to look it up in the profile', url)
  try {
    const { file, profile } = given === undefined ? findProfile(url) : readGiven(given)
    const { cpus } = cpuBudget()
    const entry = chooseEntry(profile, { file, module: url, task, cpus })
    const { executor: kind, size, sentence, cpus: measuredCpus } = entry
    return { kind, size, choice: { file, measuredCpus, budgetCpus: cpus, sentence } }
  } catch (error) {
    const isUntold = isThreadwiseError(error) && UNTOLD.has(error.code)
    if (!isUntold) throw error
    const sentence = `The tasks of ${url} run on ${fallback}: ${error.message}`
    warnOnce(sentence)
    return { kind: fallback, size: undefined, choice: unmeasured(sentence) }
  }
}

/** Nothing was measured, or not what is asked for. */
const UNTOLD: ReadonlySet<string> = new Set(['TW_ERR_PROFILE_NOT_FOUND', 'TW_ERR_PROFILE_MISMATCH'])

const warnings = new Set<string>()

function warnOnce(message: string): void {
  if (warnings.has(message)) return
  warnings.add(message)
  process.emitWarning(message, { type: 'ThreadwiseWarning', code: 'TW_WARN_NOT_MEASURED' })
}

function readGiven(given: string | URL) {
  const file = isUrl(given) || given.startsWith('file:') ? fileURLToPath(given) : given
  return { file, profile: readProfile(file) }
}
