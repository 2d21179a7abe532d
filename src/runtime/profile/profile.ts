// threadwise.json: what a measurement found, kept for the program that runs the task.

import { randomUUID } from 'node:crypto'
import { readFileSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ThreadwiseError } from '../../errors/errors.js'
import { NAMED_KINDS, type NamedKind } from '../executor/stats.js'
import { sourceInUrl } from './find-measured.js'
import { foldersOfPackage, isSomebodyElses, packageFolder } from './package-folders.js'

export const PROFILE_NAME = 'threadwise.json'

export interface Profile {
  readonly version: 1
  /** Path of the task module, relative to the profile and with forward slashes -> task -> choices by CPU limit. */
  readonly modules: Readonly<Record<string, Readonly<Record<string, readonly ProfileEntry[]>>>>
  /** Path of what starts a server, in the same form -> choices by CPU limit. */
  readonly servers?: Readonly<Record<string, readonly ServerEntry[]>>
}

/** How many instances of a server to run under one CPU limit. */
export interface ServerEntry {
  readonly cpus: number
  readonly instances: number
  readonly sentence: string
  readonly measuredAt: string
  readonly node: string
}

/** The advice for one task under one CPU limit. */
export interface ProfileEntry {
  readonly cpus: number
  readonly executor: NamedKind
  readonly size: number
  readonly sentence: string
  readonly measuredAt: string
  readonly node: string
}

/**
 * Reads the profile in the folder of the module or in the nearest folder above it, up to the root of its package.
 *
 * @throws TW_ERR_PROFILE_NOT_FOUND, TW_ERR_PROFILE_INVALID
 */
export function findProfile(module: string): { file: string; profile: Profile } {
  const source = sourceInUrl(module)
  const start = dirname(source !== undefined && isAbsolute(source) ? source : fileURLToPath(module))
  for (const folder of foldersOfPackage(start)) {
    const file = join(folder, PROFILE_NAME)
    const text = isSomebodyElses(file, start) ? null : readIfThere(file)
    if (text !== null) return { file, profile: parseProfile(file, text) }
  }
  throw new ThreadwiseError('TW_ERR_PROFILE_NOT_FOUND', { searched: start })
}

/** @throws TW_ERR_PROFILE_NOT_FOUND, TW_ERR_PROFILE_INVALID */
export function readProfile(file: string): Profile {
  const text = readIfThere(file)
  if (text === null) throw new ThreadwiseError('TW_ERR_PROFILE_NOT_FOUND', { searched: file })
  return parseProfile(file, text)
}

/** The name under which a profile in that file keeps a module. */
export function moduleKey(file: string, module: string): string {
  return relative(dirname(file), fileURLToPath(module)).split(sep).join('/')
}

function readIfThere(file: string): string | null {
  try {
    if (!statSync(file).isFile()) throw new Error('it is no file') // a pipe would be waited for
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw invalid(file, `it cannot be read (${(error as Error).message})`)
  }
}

function parseProfile(file: string, text: string): Profile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(file, `it is not JSON (${(error as Error).message})`)
  }
  if (!isRecord(value) || value.version !== 1) throw invalid(file, 'its version must be 1')
  if (!isRecord(value.modules)) throw invalid(file, 'it has no modules')
  for (const [module, tasks] of Object.entries(value.modules)) {
    if (!isRecord(tasks)) throw invalid(file, `${module} must map tasks to choices`)
    for (const [task, entries] of Object.entries(tasks)) {
      const isList = Array.isArray(entries) && entries.length > 0
      if (!isList || !entries.every(isEntry))
        throw invalid(file, `the choices for ${task} of ${module} are malformed`)
    }
  }
  checkServers(file, value.servers)
  return value as unknown as Profile
}

function checkServers(file: string, servers: unknown): void {
  if (servers === undefined) return
  if (!isRecord(servers)) throw invalid(file, 'its servers must map files to choices')
  for (const [server, entries] of Object.entries(servers)) {
    const isList = Array.isArray(entries) && entries.length > 0
    if (!isList || !entries.every(isServerEntry))
      throw invalid(file, `the choices for ${server} are malformed`)
  }
}

function isServerEntry(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { cpus, instances, sentence } = value
  const isCount = Number.isInteger(instances) && (instances as number) >= 1
  return typeof cpus === 'number' && cpus > 0 && isCount && typeof sentence === 'string'
}

function isEntry(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { cpus, executor, size, sentence } = value
  const isPositive = typeof cpus === 'number' && cpus > 0 && Number.isInteger(size) && (size as number) >= 1
  return isPositive && NAMED_KINDS.includes(executor as NamedKind) && typeof sentence === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(file: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_PROFILE_INVALID', { file, reason })
}

// Writes the advice of a measurement into threadwise.json, beside what is there about other tasks.

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
  // Somebody else may write into this folder: nobody can know the name, and no file of that name is written through, not even a link.
  const temporary = `${file}.${randomUUID()}.tmp`
  writeFileSync(temporary, `${JSON.stringify(profile, null, 2)}\n`, { flag: 'wx' })
  renameSync(temporary, file)
}

function entryOf({ cpus, executor, size, sentence, measuredAt, node }: SavedChoice): ProfileEntry {
  return { cpus, executor, size, sentence, measuredAt, node }
}
