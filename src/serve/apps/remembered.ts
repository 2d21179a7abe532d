// What was started in the background, kept in a file for each app: so one that has stopped or failed is still listed, with its last words, and
// can be started again by its name.

import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { has, isFlag, isNumber, isRecord, isText, listOf, optional, orNull } from '../contract/shapes.js'
import { isName } from '../contract/service-name.js'
import { readOwnFile } from '../../user/read-own-file.js'
import type { AppPlan } from './app-plan.js'

export interface RememberedApp {
  readonly version: 1
  readonly plan: AppPlan
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Null while it runs, and when its process was killed. */
  readonly end: AppEnd | null
  /** As it was started; one that an older version has started has none. */
  readonly start?: StartContext
}

/** What a process has from who starts it, besides its arguments. */
export interface StartContext {
  readonly env: Readonly<Record<string, string>>
  /** Options of Node. */
  readonly execArgv: readonly string[]
  readonly umask: number
  readonly cwd: string
}

export interface AppEnd {
  /** `done`: it ended by itself, as it should. */
  readonly state: 'stopped' | 'failed' | 'done'
  /** Milliseconds since 1970. */
  readonly at: number
  /** Why it failed; null when it did not. */
  readonly reason: string | null
  /** The last lines of its log. */
  readonly lastWords: readonly string[]
}

const ENDING = '.app.json'

/** Its variables may be secret: nobody else may read the folder, nor the file. */
export function rememberApp(folder: string, app: RememberedApp): void {
  const path = pathOf(folder, app.plan.name)
  const temporary = `${path}.${process.pid}`
  try {
    writeFileSync(temporary, JSON.stringify(app), { mode: 0o600 })
    renameSync(temporary, path) // whoever reads it finds all of it
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

export interface FoundApps {
  /** By name. */
  readonly apps: RememberedApp[]
  /** What is in the way of the others, for people: a file that cannot be read as that of an app. */
  readonly odd: string[]
}

export function rememberedApps(folder: string): FoundApps {
  const names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
  const [apps, odd]: [RememberedApp[], string[]] = [[], []]
  for (const name of names.sort()) {
    try {
      apps.push(readApp(join(folder, name)))
    } catch (error) {
      odd.push(`${join(folder, name)} is passed over: ${(error as Error).message}`)
    }
  }
  return { apps, odd }
}

/** Undefined when there is none, or its file cannot be read. */
export function rememberedApp(folder: string, name: string): RememberedApp | undefined {
  try {
    return readApp(pathOf(folder, name))
  } catch {
    return undefined
  }
}

/** Whether there is a record, also one that cannot be read. */
export function isRemembered(folder: string, name: string): boolean {
  return existsSync(pathOf(folder, name))
}

export function forgetApp(folder: string, name: string): void {
  rmSync(pathOf(folder, name), { force: true })
}

/** What a plan of an older version may lack. */
const WITHOUT = { watch: false, cron: null, config: null, profile: null }

/** Text of the system ends before a NUL, so that none can be there: Node throws where it is to start a program with it. */
const isSystemText = (value: unknown) => isText(value) && !String(value).includes('\0')

const isPlan = has({
  name: isName,
  file: (value) => isSystemText(value) || listOf(isSystemText)(value),
  options: isRecord,
  watch: optional((value) => isFlag(value) || listOf(isSystemText)(value)),
  cron: optional(orNull(isSystemText)),
  config: optional(orNull(isSystemText)),
  profile: optional(orNull(isSystemText)),
  log: has({ size: isNumber, files: isNumber, path: orNull(isSystemText) }),
})

const isEnd = has({
  state: isText,
  at: isNumber,
  reason: orNull(isText),
  lastWords: optional(listOf(isText)),
})

const MOST_UMASK = 0o777

const isStart = has({
  env: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) => !/[=\0]/.test(name) && isSystemText(text)),
  execArgv: listOf(isSystemText),
  umask: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_UMASK,
  cwd: isSystemText,
})

/** Throws where it is none, or one that a newer version has written. */
function readApp(path: string): RememberedApp {
  const app: unknown = JSON.parse(readOwnFile(path))
  if (!isRecord(app)) throw new Error('it is no record of an app')
  if (app.version !== 1) throw new Error(`its version is ${String(app.version)}, and this threadwise knows 1`)
  const isWhole = has({
    plan: isPlan,
    startedAt: optional(isNumber),
    end: orNull(isEnd),
  })(app)
  if (!isWhole) throw new Error('it is no record of an app of this version')
  if (!optional(isStart)(app.start))
    throw new Error('no process can be started with the variables, options, umask or folder of its start')
  const { plan, startedAt = 0, end } = app as unknown as RememberedApp
  if (pathOf(dirname(path), plan.name) !== path) throw new Error(`it is of "${plan.name}"`)
  return {
    ...(app as unknown as RememberedApp),
    startedAt,
    plan: { ...WITHOUT, ...plan },
    end: end && { ...end, lastWords: end.lastWords ?? [] },
  }
}

function pathOf(folder: string, name: string): string {
  return join(folder, `${name}${ENDING}`)
}
