// `threadwise logs`: the last lines that a service in the background has written, and those that it writes.

import { existsSync } from 'node:fs'
import { checkName } from '../../serve/contract/resolve-options.js'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { rememberedApp } from '../../serve/apps/remembered.js'
import { logFolder, logPath } from '../../serve/logs/log-folder.js'
import { textOfLine } from '../../serve/logs/log-lines.js'
import { logNames } from '../../serve/logs/open-log.js'
import { plainWithColors } from '../terminal/plain.js'
import { readLog } from '../../serve/logs/read-log.js'

export interface LogsFlags {
  lines?: number
  follow?: boolean
  raw?: boolean
}

const END = Buffer.from('\n')

/** The exit code. */
export async function runLogs(name: string, flags: LogsFlags): Promise<number> {
  const { lines = 20, follow: isFollowing = false, raw = false } = flags
  checkName(name)
  checkOption(Number.isSafeInteger(lines) && lines >= 0, '--lines', 'a whole number from 0', lines)
  const folder = logFolder()
  const path = rememberedApp(folder, name)?.plan.log.path ?? logPath(folder, name)
  if (!existsSync(path) && !existsSync(`${path}.1`)) {
    const available = logNames(folder)
    throw new ThreadwiseError('TW_ERR_LOG_NOT_FOUND', { name, folder, available })
  }
  const onGap = () => process.stderr.write('threadwise: lines may be missing here: the log was rotated faster than it was read\n') // prettier-ignore
  for await (const some of readLog({ path, lines, isFollowing, onGap })) {
    const shown = raw ? some.map(textOfLine) : some
    // A file or a program gets the bytes as they are.
    const safe = process.stdout.isTTY
      ? shown.map((line) => Buffer.from(plainWithColors(String(line))))
      : shown
    const isTaken = process.stdout.write(Buffer.concat(safe.flatMap((line) => [line, END])))
    if (!isTaken) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
  return 0
}
