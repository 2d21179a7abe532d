// Writes the advice of a measurement into threadwise.json, beside what is there about other tasks.

import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { moduleKey, PROFILE_NAME, readProfile, type Profile, type ProfileEntry } from './profile.js'

export interface SavedChoice extends ProfileEntry {
  readonly task: string
}

/**
 * Replaces the choices of the given tasks and keeps all others. Returns the path of the profile: beside the package.json
 * that the module belongs to, or else beside the module.
 *
 * @throws TW_ERR_PROFILE_INVALID when a broken profile is there: it is not overwritten.
 */
export function saveProfile(module: string, choices: readonly SavedChoice[]): string {
  const file = profileFileFor(module)
  const old: Profile = existsSync(file) ? readProfile(file) : { version: 1, modules: {} }
  const key = moduleKey(file, module)
  const tasks: Record<string, readonly ProfileEntry[]> = { ...old.modules[key] }
  for (const task of new Set(choices.map((choice) => choice.task))) {
    tasks[task] = choices.filter((choice) => choice.task === task).map(entryOf)
  }
  writeProfile(file, { ...old, modules: { ...old.modules, [key]: tasks } })
  return file
}

/** Where the choices for a file, given by its URL, are kept. */
export function profileFileFor(module: string): string {
  return join(packageFolder(dirname(fileURLToPath(module))), PROFILE_NAME)
}

export function writeProfile(file: string, profile: Profile): void {
  // A program may be starting right now: it must see the old file or the new one, never half of one.
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify(profile, null, 2)}\n`)
  renameSync(temporary, file)
}

function entryOf({ cpus, executor, size, sentence, measuredAt, node }: SavedChoice): ProfileEntry {
  return { cpus, executor, size, sentence, measuredAt, node }
}

function packageFolder(start: string): string {
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  return start
}
