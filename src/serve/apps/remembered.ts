// What was started in the background, kept in a file for each app: so one that has stopped or failed is still listed, with its last words, and
// can be started again by its name.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppPlan } from './app-plan.js'

export interface RememberedApp {
  readonly version: 1
  readonly plan: AppPlan
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Null while it runs, and when its process was killed. */
  readonly end: AppEnd | null
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

/** By name. A file that cannot be read is passed over. */
export function rememberedApps(folder: string): RememberedApp[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
  return names.sort().flatMap((name) => readApp(join(folder, name)) ?? [])
}

export function rememberedApp(folder: string, name: string): RememberedApp | undefined {
  return readApp(pathOf(folder, name))
}

export function forgetApp(folder: string, name: string): void {
  rmSync(pathOf(folder, name), { force: true })
}

function readApp(path: string): RememberedApp | undefined {
  try {
    const app = JSON.parse(readFileSync(path, 'utf8')) as RememberedApp
    return app.version === 1 && typeof app.plan.name === 'string' ? app : undefined
  } catch {
    return undefined
  }
}

function pathOf(folder: string, name: string): string {
  return join(folder, `${name}${ENDING}`)
}
