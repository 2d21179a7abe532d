// `threadwise serve -i auto`: the number of instances that a saved measurement advises for the CPUs that are there.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServeOptions } from '../cluster/options.js'
import { cutToRule, resolveScaling } from '../cluster/spread-options.js'
import { cpuBudget, formatCpus } from '../cpu/cpu-budget.js'
import { isThreadwiseError } from '../errors.js'
import { findServerChoice, type ServerChoice } from '../profile/server-profile.js'

export interface FoundInstances {
  readonly instances: number | 'max' | undefined
  /** What the log says about it; null where nothing was to be found. */
  readonly note: string | null
}

/**
 * @param rule the other options: with `min` or `max` the number is cut to what they allow
 * @throws TW_ERR_INVALID_OPTION when `min` or `max` is wrong; TW_ERR_PROFILE_INVALID when there is a profile that cannot be read: whoever has measured would not want the default.
 * @example instancesFor('server.js', 'auto') // { instances: 2, note: 'auto: 2 instances at 2 CPUs. Run 2 instances ...' }
 */
export function instancesFor(
  file: string,
  asked: number | 'max' | 'auto' | undefined,
  rule: Pick<ServeOptions, 'min' | 'max'> = {},
): FoundInstances {
  if (asked !== 'auto') return { instances: asked, note: null }
  const { cpus } = cpuBudget()
  const choice = find(file, cpus)
  if (choice === null) {
    const how = `"threadwise measure --server ${file} --save" writes it`
    return { instances: 'max', note: `auto: no measurement of ${file} was found, so max is used; ${how}` }
  }
  const { instances: advised, cpus: measured, sentence, profile } = choice
  const instances = cutToRule(advised, resolveScaling(rule))
  const count = `${instances} ${instances === 1 ? 'instance' : 'instances'} at ${formatCpus(cpus)}`
  const nearest = measured === cpus ? '' : `, nearest measured limit ${formatCpus(measured)}`
  const cut = instances === advised ? '' : `, by --min and --max instead of ${advised}`
  return { instances, note: `auto: ${count}${cut}${nearest}, by ${profile}: ${sentence}` }
}

function find(file: string, cpus: number): ServerChoice | null {
  try {
    return findServerChoice(pathToFileURL(resolve(file)).href, cpus)
  } catch (error) {
    if (isThreadwiseError(error) && error.code === 'TW_ERR_PROFILE_NOT_FOUND') return null
    throw error
  }
}
