// What a service in the background leaves for `threadwise list` and `start`: its plan, and how it ended.

import { readFileSync } from 'node:fs'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import { isThreadwiseError } from '../../errors/errors.js'
import {
  isRemembered,
  rememberApp,
  rememberedApps,
  type AppEnd,
  type RememberedApp,
  type StartContext,
} from '../../serve/apps/remembered.js'
import { recordsOfLiving } from '../../serve/control/run-record.js'
import { logFolder, logPath } from '../../serve/logs/log-folder.js'
import { textOfLine } from '../../serve/logs/log-lines.js'
import { isLog } from '../../serve/logs/open-log.js'
import { ownContext } from './start-context.js'

const LAST_WORDS = 5
const LAST_CHARACTERS = 1000
/** What Node writes after the reason of a crash: the rest of the stack is in the log. */
const NOISE =
  /^ +at .+:\d+:\d+\)?$|^ +at .*\{$|^Node\.js v\d|^ *\^+$|^ +\w+: ('.*'|-?\d+|null|undefined),?$|^ *\}$/

export interface BackgroundRecord {
  /** It runs with another plan from now on, or was started otherwise. */
  changed(plan: AppPlan, start: StartContext): void
  ended(state: AppEnd['state'], reason: string | null): void
  /** Writes it again if it was removed. */
  keep(): void
}

/** Where nothing can be written, as on a full disk, the service runs all the same, and `say` is told. */
export function openRecord(plan: AppPlan, say: (text: string) => void): BackgroundRecord {
  let record: RememberedApp = { version: 1, plan, startedAt: Date.now(), end: null, start: ownContext() }
  remember(record, say)
  return {
    changed(next, start) {
      record = { ...record, plan: next, start }
      remember(record, say)
    },
    keep() {
      if (!isRemembered(logFolder(), record.plan.name)) remember(record, say)
    },
    ended(state, reason) {
      const lastWords = lastLines(logOf(record.plan))
      remember({ ...record, end: { state, at: Date.now(), reason, lastWords } }, say)
    },
  }
}

/** Of a process that was to take the place of another, and failed before it had a record: what is there is how the other has ended. */
export function recordFailure(plan: AppPlan, reason: string): void {
  const isIts = recordsOfLiving().some(({ name }) => name === plan.name) // of the one that goes on, or of another start
  if (isIts || knownApp(plan.name)?.end?.reason === reason) return
  openRecord(plan, () => {}).ended('failed', reason)
}

function remember(app: RememberedApp, say: (text: string) => void): void {
  try {
    rememberApp(logFolder(), app)
  } catch (error) {
    say(`"threadwise start" will not know this of it: ${(error as Error).message}`)
  }
}

/** Of all that were started in the background; none where there is no folder for them. What cannot be read is told to `onOdd`. */
export function knownApps(onOdd: (text: string) => void = () => {}): RememberedApp[] {
  try {
    const { apps, odd } = rememberedApps(logFolder())
    odd.forEach(onOdd)
    return apps
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
  if (!isLog(path)) return [] // a service that ends would wait for the writer of a pipe
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
