// Writes a result as the flags of its command ask: as text or JSON, and as a page.

import { pathToFileURL } from 'node:url'
import { toJson } from '../../measure/report/figures/json.js'
import type { TerminalOptions } from '../../measure/report/terminal/terminal.js'
import { writeOwnOutput } from '../../user/own-output.js'
import { terminalOptions } from './terminal-options.js'

/** `json`: a file beside the text on standard output; `-`: there, instead of the text. */
export function writeResult<Result>(
  result: Result,
  json: string | undefined,
  format: (result: Result, options: TerminalOptions) => string,
): void {
  if (json === '-') {
    process.stdout.write(toJson(result))
    return
  }
  process.stdout.write(format(result, terminalOptions(process.stdout)))
  if (json !== undefined) writeOwnOutput(json, toJson(result))
}

/** `note` tells where it is. */
export function writePage(path: string, page: string, note: (text: string) => void): void {
  writeOwnOutput(path, page)
  note(`Report: ${pathToFileURL(path)}`)
}
