// executor(): the executor that a saved measurement advises for the CPUs that this process has.

import { fileURLToPath } from 'node:url'
import { cpuBudget } from '../../cpu/cpu-budget.js'
import { createExecutor } from '../create-executor.js'
import { checkNames, checkOption, checkText, optionNames } from '../../errors/check-options.js'
import type { Executor, ProfileChoice } from '../executor/executor.js'
import { resolveModule } from '../executor/options.js'
import { chooseEntry } from './choose.js'
import { findProfile, readProfile } from './profile.js'

/** Options of {@link executor}; all have defaults. */
export interface ProfileOptions {
  /** Path or file URL of the profile. Default: threadwise.json in the folder of the module or the nearest one above it. */
  readonly profile?: string | URL
  /** Whose choice to follow, where the profile holds several tasks of the module and they differ. */
  readonly task?: string
}

const PROFILE_OPTIONS = optionNames('profile task')

/**
 * Runs the tasks where "threadwise measure FILE --save" found it best, by the CPU budget that it finds now. What it chose,
 * and why, is in `stats().profile`.
 *
 * @throws TW_ERR_PROFILE_NOT_FOUND, TW_ERR_PROFILE_INVALID (a broken file), TW_ERR_PROFILE_MISMATCH (of another module)
 * @example
 * await using pool = executor(new URL('./tasks.js', import.meta.url))
 * console.log(pool.stats().profile.sentence)
 */
export function executor<T = object>(module: URL | string, options: ProfileOptions = {}): Executor<T> {
  const url = resolveModule(module)
  checkOption(typeof options === 'object' && options !== null, 'options', 'an object', options)
  checkNames(options, PROFILE_OPTIONS)
  const { profile: given, task } = options
  const isFile = given === undefined || given instanceof URL || typeof given === 'string'
  checkOption(isFile, 'profile', 'the path or URL of a threadwise.json', given)
  checkText('task', task, 'the name of a task in the profile')
  checkOption(url.startsWith('file:'), 'module', 'a file URL, to look it up in the profile', url)
  const { file, profile } = given === undefined ? findProfile(url) : readGiven(given)
  const { cpus } = cpuBudget()
  const entry = chooseEntry(profile, { file, module: url, task, cpus })
  const { executor: kind, size, sentence } = entry
  const choice: ProfileChoice = { file, measuredCpus: entry.cpus, budgetCpus: cpus, sentence }
  const chosen = createExecutor<T>(kind, url, size)
  return {
    ...chosen,
    get size() {
      return chosen.size
    },
    stats: () => ({ ...chosen.stats(), profile: choice }),
    inspect: async () => ({ ...(await chosen.inspect()), profile: choice }),
  }
}

function readGiven(given: string | URL) {
  const isUrl = given instanceof URL || given.startsWith('file:')
  const file = isUrl ? fileURLToPath(given) : given
  return { file, profile: readProfile(file) }
}
