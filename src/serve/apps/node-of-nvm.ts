// PM2 takes 'node@20.11.0' for the Node of that version which nvm has installed.

import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { checkOption } from '../../errors/check-options.js'

/** Its path; any other interpreter as it is. Of several that begin with the version the newest is taken. */
export function nodeOfNvm(interpreter: string): string {
  const [, wanted] = /^node@v?(.*)$/.exec(interpreter) ?? []
  if (wanted === undefined) return interpreter
  const folder = join(process.env.NVM_DIR ?? join(homedir(), '.nvm'), 'versions/node')
  const installed = existsSync(folder) ? readdirSync(folder) : []
  const byVersion = (a: string, b: string) => b.localeCompare(a, 'en', { numeric: true })
  const found = installed.filter((name) => `${name}.`.startsWith(`v${wanted}.`)).sort(byVersion)[0]
  const expected = `a version that nvm has in ${folder} ("nvm install ${wanted}"), or the path of a Node`
  checkOption(found !== undefined, 'interpreter', expected, interpreter)
  return join(folder, found!, 'bin/node')
}
