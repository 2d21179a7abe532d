// Which choice of a profile holds here: the one measured at the CPU limit that is nearest to the budget found now.

import { wholeCpus } from '../../cpu/cpu-budget.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { findMeasured } from './find-measured.js'
import { moduleKey, type Profile, type ProfileEntry } from './profile.js'

export interface ChoiceRequest {
  /** Path of the profile, for its module names and for errors. */
  readonly file: string
  /** URL of the task module. */
  readonly module: string
  /** The task that decides, where the profile holds several that differ. */
  readonly task: string | undefined
  /** CPUs that this process has now. */
  readonly cpus: number
}

/**
 * The measured limit nearest to the budget (as a ratio: 0.6 is nearer to 1 than to 0.25). More workers than the budget can
 * keep busy only add stalls, so a pool that was measured with more CPUs is cut down to what is there.
 *
 * @throws TW_ERR_PROFILE_MISMATCH when the profile knows nothing of the module or task, or its tasks disagree.
 */
export function chooseEntry(profile: Profile, request: ChoiceRequest): ProfileEntry {
  const byTask = tasksOf(profile, request)
  const { task, cpus } = request
  if (task !== undefined) {
    const entries = Object.hasOwn(byTask, task) ? byTask[task] : undefined
    if (!entries) throw mismatch(request, `task ${task}`, Object.keys(byTask))
    return fit(nearest(entries, cpus), cpus)
  }
  const choices = Object.values(byTask).map((entries) => fit(nearest(entries, cpus), cpus))
  const [first, ...others] = choices
  if (others.some(({ executor, size }) => executor !== first!.executor || size !== first!.size)) {
    const wanted = 'which of its tasks to follow, and they differ; pass { task }'
    throw mismatch(request, wanted, Object.keys(byTask))
  }
  return first!
}

function tasksOf(profile: Profile, request: ChoiceRequest) {
  const byTask = entriesOf(profile, request)
  if (byTask) return byTask
  throw mismatch(request, moduleKey(request.file, request.module), Object.keys(profile.modules))
}

function entriesOf(profile: Profile, { file, module }: Pick<ChoiceRequest, 'file' | 'module'>) {
  const known = findMeasured({ file, module }, Object.keys(profile.modules))
  const byTask = known === undefined ? undefined : profile.modules[known]
  return byTask && Object.keys(byTask).length > 0 ? byTask : undefined
}

function nearest(entries: readonly ProfileEntry[], cpus: number): ProfileEntry {
  const distance = (entry: ProfileEntry) => Math.abs(Math.log(entry.cpus / cpus))
  return entries.reduce((best, entry) => (distance(entry) < distance(best) ? entry : best))
}

function fit(entry: ProfileEntry, cpus: number): ProfileEntry {
  const isPool = entry.executor === 'threads' || entry.executor === 'processes'
  return isPool && entry.cpus > cpus ? { ...entry, size: Math.min(entry.size, wholeCpus(cpus)) } : entry
}

function mismatch({ file }: ChoiceRequest, wanted: string, available: string[]): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_PROFILE_MISMATCH', { file, wanted, available })
}
