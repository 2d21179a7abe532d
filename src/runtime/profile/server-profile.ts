// What a measurement of a server found, kept in threadwise.json for `threadwise serve -i auto`.

import { existsSync } from 'node:fs'
import { wholeCpus } from '../../cpu/cpu-budget.js'
import {
  findProfile,
  moduleKey,
  readProfile,
  type Profile,
  type ServerEntry,
  profileFileFor,
  writeProfile,
} from './profile.js'

/**
 * Replaces the choices for this server and keeps all else. Returns the path of the profile: beside the package.json that the file
 * belongs to, or else beside the file.
 *
 * @param file URL of what starts the server
 * @throws TW_ERR_PROFILE_INVALID when a broken profile is there: it is not overwritten.
 * @example saveServerProfile('file:///app/server.js', [{ cpus: 2, instances: 2, sentence, measuredAt, node }])
 */
export function saveServerProfile(file: string, choices: readonly ServerEntry[]): string {
  const profileFile = profileFileFor(file)
  const old: Profile = existsSync(profileFile) ? readProfile(profileFile) : { version: 1, modules: {} }
  writeProfile(profileFile, {
    ...old,
    servers: { ...old.servers, [moduleKey(profileFile, file)]: choices },
  })
  return profileFile
}

export interface ServerChoice {
  /** Path of the profile. */
  readonly profile: string
  readonly instances: number
  /** The limit at which it was measured. */
  readonly cpus: number
  readonly sentence: string
}

/**
 * The choice measured at the limit nearest to the budget (as a ratio); null when the profile knows nothing of this server. One that
 * was measured with more CPUs is cut down to what is there, since more processes than CPUs only take turns.
 *
 * @param file URL of what starts the server
 * @param cpus CPUs that this process has now
 * @throws TW_ERR_PROFILE_NOT_FOUND, TW_ERR_PROFILE_INVALID
 * @example findServerChoice('file:///app/server.js', 2)?.instances
 */
export function findServerChoice(file: string, cpus: number): ServerChoice | null {
  const { file: profileFile, profile } = findProfile(file)
  const entries = ownEntries(profile, moduleKey(profileFile, file))
  if (entries.length === 0) return null
  const distance = (entry: ServerEntry) => Math.abs(Math.log(entry.cpus / cpus))
  const nearest = entries.reduce((best, entry) => (distance(entry) < distance(best) ? entry : best))
  const instances = nearest.cpus > cpus ? Math.min(nearest.instances, wholeCpus(cpus)) : nearest.instances
  return { profile: profileFile, instances, cpus: nearest.cpus, sentence: nearest.sentence }
}

function ownEntries({ servers }: Profile, key: string): readonly ServerEntry[] {
  return servers && Object.hasOwn(servers, key) ? servers[key]! : []
}
