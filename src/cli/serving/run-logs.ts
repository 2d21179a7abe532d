// `threadwise logs`: the last lines that a service in the background has written, and those that it writes.

import { checkName } from '../../serve/contract/service-name.js'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { rememberedApp, rememberedApps, type RememberedApp } from '../../serve/apps/remembered.js'
import { logFolder, logPath } from '../../serve/logs/log-folder.js'
import { textOfLine } from '../../serve/logs/log-lines.js'
import { isLog, logNames } from '../../serve/logs/open-log.js'
import { plain, plainWithColors } from '../terminal/plain.js'
import { readLog } from '../../serve/logs/read-log.js'

export interface LogsFlags {
  lines?: number
  follow?: boolean
  raw?: boolean
}

const END = Buffer.from('\n')

/**
 * The exit code. Without a name the logs of all are shown, each line with the name of its service before it; one that cannot be read does not
 * keep the others from being shown.
 */
export async function runLogs(name: string | undefined, flags: LogsFlags): Promise<number> {
  const { lines = 20 } = flags
  if (name !== undefined) checkName(name)
  checkOption(Number.isSafeInteger(lines) && lines >= 0, '--lines', 'a whole number from 0', lines)
  const folder = logFolder()
  if (name !== undefined) {
    await show({ path: pathOf(folder, name), head: '' }, { ...flags, lines })
    return 0
  }
  const names = allWithLogs(folder)
  const width = Math.max(...names.map(({ length }) => length))
  const showOne = async (one: string) => {
    try {
      await show({ path: pathOf(folder, one), head: `${one.padEnd(width)} ` }, { ...flags, lines })
      return 0
    } catch (error) {
      process.stderr.write(
        `threadwise: the log of ${one} cannot be shown: ${plain((error as Error).message)}\n`,
      )
      return 1
    }
  }
  return Math.max(...(await Promise.all(names.map(showOne))))
}

/** @throws TW_ERR_LOG_NOT_FOUND */
function pathOf(folder: string, name: string): string {
  const path = rememberedApp(folder, name)?.plan.log.path ?? logPath(folder, name)
  if (isLog(path) || isLog(`${path}.1`)) return path
  throw new ThreadwiseError('TW_ERR_LOG_NOT_FOUND', { name, folder, available: logNames(folder) })
}

/** Those that are remembered, and those whose log is left. */
function allWithLogs(folder: string): string[] {
  const hasLog = ({ plan }: RememberedApp) => isLog(plan.log.path ?? logPath(folder, plan.name))
  const remembered = rememberedApps(folder)
    .apps.filter(hasLog)
    .map(({ plan }) => plan.name)
  const names = [...new Set([...remembered, ...logNames(folder)])].sort()
  if (names.length === 0)
    throw new ThreadwiseError('TW_ERR_LOG_NOT_FOUND', { name: 'any', folder, available: [] })
  return names
}

interface Shown {
  readonly path: string
  /** Before each line. */
  readonly head: string
}

async function show({ path, head }: Shown, flags: LogsFlags & { lines: number }): Promise<void> {
  const { lines, follow: isFollowing = false, raw = false } = flags
  const onGap = () =>
    process.stderr.write(
      'threadwise: lines may be missing here: the log was rotated faster than it was read\n',
    )
  for await (const some of readLog({ path, lines, isFollowing, onGap })) {
    const shown = raw ? some.map(textOfLine) : some
    // A file or a program gets the bytes as they are.
    const safe = process.stdout.isTTY
      ? shown.map((line) => Buffer.from(plainWithColors(String(line))))
      : shown
    const all = safe.flatMap((line) => [Buffer.from(head), line, END])
    const isTaken = process.stdout.write(Buffer.concat(all))
    if (!isTaken) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
}
