// Colour and width of an output stream. NO_COLOR (no-color.org) wins over FORCE_COLOR, FORCE_COLOR over the terminal.

import type { TerminalOptions } from '../../measure/report/terminal/terminal.js'

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

const PIPE_WIDTH = 100

export function terminalOptions(stream: OutputStream, env: NodeJS.ProcessEnv = process.env): TerminalOptions {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0'
  const color = env.NO_COLOR ? false : forced || (stream.isTTY === true && env.TERM !== 'dumb')
  return { color, width: stream.columns ?? PIPE_WIDTH }
}
