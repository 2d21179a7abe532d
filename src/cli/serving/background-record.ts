// What a service in the background leaves for `threadwise list` and `start`: its plan, and how it ended.

import { readFileSync } from 'node:fs'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import { isThreadwiseError } from '../../errors/errors.js'
import {
  rememberApp,
  rememberedApp,
  rememberedApps,
  type AppEnd,
  type RememberedApp,
} from '../../serve/apps/remembered.js'
import { logFolder, logPath } from '../../serve/logs/log-folder.js'
import { textOfLine } from '../../serve/logs/log-lines.js'

const LAST_WORDS = 5
const LAST_CHARACTERS = 1000
/** What Node writes after the reason of a crash: the rest of the stack is in the log. */
const NOISE =
  /^ +at .+:\d+:\d+\)?$|^ +at .*\{$|^Node\.js v\d|^ *\^+$|^ +\w+: ('.*'|-?\d+|null|undefined),?$|^ *\}$/

export interface BackgroundRecord {
  ended(state: AppEnd['state'], reason: string | null): void
}

/** Where nothing can be written, as on a full disk, the service runs all the same, and `say` is told. */
export function openRecord(plan: AppPlan, say: (text: string) => void): BackgroundRecord {
  const folder = logFolder()
  const started = { version: 1, plan, startedAt: Date.now(), end: null } as const
  remember(started, say)
  return {
    ended(state, reason) {
      const lastWords = lastLines(logOf(plan))
      // Its plan may have been changed meanwhile.
      const now = rememberedApp(folder, plan.name) ?? started
      remember({ ...now, end: { state, at: Date.now(), reason, lastWords } }, say)
    },
  }
}

export function remember(app: RememberedApp, say: (text: string) => void): void {
  try {
    rememberApp(logFolder(), app)
  } catch (error) {
    say(`"threadwise start" will not know this of it: ${(error as Error).message}`)
  }
}

/** Of all that were started in the background; none where there is no folder for them. */
export function knownApps(): RememberedApp[] {
  try {
    return rememberedApps(logFolder())
  } catch (error) {
    if (isThreadwiseError(error)) return []
    throw error
  }
}

export function knownApp(name: string): RememberedApp | undefined {
  return knownApps().find(({ plan }) => plan.name === name)
}

/** The file that it writes. */
export function logOf({ name, log }: AppPlan): string {
  return log.path ?? logPath(logFolder(), name)
}

/** In the background nobody sees that a service gave up: it goes on trying, unless told otherwise. */
export function inBackground(plan: AppPlan): AppPlan {
  return { ...plan, options: { maxRestarts: 'none', ...plan.options } }
}

/** What its instances wrote last. */
export function lastLines(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  const lines = text.trimEnd().split('\n')
  const own = lines
    .filter((line) => !/^\S+ \[serve\] /.test(line))
    .map((line) => String(textOfLine(Buffer.from(line))))
  const telling = own.filter((line) => line.trim() !== '' && !NOISE.test(line))
  return telling.slice(-LAST_WORDS).map((line) => line.slice(0, LAST_CHARACTERS))
}
