// `threadwise monit`: shows the load of a service until it ends, or until somebody says so.

import { stripVTControlCharacters } from 'node:util'
import { askService } from '../../serve/control/control-client.js'
import type { ServiceStatus } from '../../serve/contract/events.js'
import { checkName } from '../../serve/contract/resolve-options.js'
import { checkOption } from '../../errors/check-options.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { terminalOptions } from '../terminal/terminal-options.js'
import { pause } from '../terminal/interrupt.js'
import { describeService } from './service-table.js'

export interface MonitFlags {
  interval?: number
}

const MIN_MS = 100
const MAX_MS = 3_600_000

/** The exit code. */
export async function runMonit(name: string, { interval = 1000 }: MonitFlags): Promise<number> {
  checkName(name)
  const isTime = interval >= MIN_MS && interval <= MAX_MS
  checkOption(isTime, 'interval', `milliseconds from ${MIN_MS} to ${MAX_MS}`, interval)
  const first = await askService(name, { command: 'inspect' })
  const quit = new AbortController()
  const view = openView()
  const release = listenForEnd(() => quit.abort())
  try {
    for (let status: ServiceStatus | null = first; status !== null; status = await statusOf(name)) {
      view.show(status)
      await pause(interval, quit.signal)
      if (quit.signal.aborted) return 0
    }
  } finally {
    release()
    view.close()
  }
  process.stdout.write(`${name} has ended.\n`)
  return 0
}

/** Null when it has ended. */
async function statusOf(name: string): Promise<ServiceStatus | null> {
  try {
    return await askService(name, { command: 'inspect' })
  } catch (error) {
    const isEnd = isThreadwiseError(error)
      ? error.code === 'TW_ERR_SERVICE_NOT_FOUND'
      : /ended before it answered|ECONNRESET|EPIPE/.test((error as Error).message)
    if (isEnd) return null
    throw error
  }
}

interface View {
  show(status: ServiceStatus): void
  close(): void
}

function openView(): View {
  const { stdout } = process
  if (stdout.isTTY !== true || process.env.TERM === 'dumb')
    return { show: (status) => void stdout.write(plainLines(status, new Date())), close() {} }
  stdout.write('\x1b[?1049h\x1b[?25l') // the other screen, so that what was there comes back; no cursor
  return {
    show(status) {
      const { color } = terminalOptions(stdout)
      // Some terminals do not say how large they are: then it is 0.
      const { columns, rows } = stdout
      stdout.write(screenFrame(status, { columns: columns || 80, rows: rows || 24, color }))
    },
    close: () => void stdout.write('\x1b[?25h\x1b[?1049l'),
  }
}

function listenForEnd(end: () => void): () => void {
  const { stdin } = process
  const isTerminal = stdin.isTTY === true
  const onKey = (data: Buffer) => {
    if (/[qQ\x03\x04]/.test(data.toString('latin1'))) end() // eslint-disable-line no-control-regex -- Ctrl-C and Ctrl-D
  }
  if (isTerminal) {
    stdin.setRawMode(true)
    stdin.on('data', onKey)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  return () => {
    for (const signal of signals) process.off(signal, end)
    if (!isTerminal) return
    stdin.off('data', onKey)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

// What `threadwise monit` shows at one moment: a screen of a terminal, or plain lines for a log. Pure functions.

export interface Screen {
  readonly columns: number
  readonly rows: number
  readonly color: boolean
}

const BOLD = '1'
const YELLOW = '33'

/** Replaces what the screen shows, without clearing it first: that would flicker. */
export function screenFrame(status: ServiceStatus, { columns, rows, color }: Screen): string {
  const shown = [...describeService(status).trimEnd().split('\n'), '', total(status), 'q ends']
  const lines = shown.slice(0, Math.max(1, rows)).map((line) => {
    const style = /^INSTANCE/.test(line) ? BOLD : isTrouble(line) ? YELLOW : undefined
    const text = plain(line).slice(0, columns)
    return color && style !== undefined ? `\x1b[${style}m${text}\x1b[0m` : text
  })
  return `\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`
}

/** One line for the service, and one for each instance. */
export function plainLines(status: ServiceStatus, time: Date): string {
  const { name, state } = status
  const instances = describeService(status)
    .trimEnd()
    .split(/\n(?=INSTANCE)/)[1]!
  const lines = [`${name} ${state}, ${total(status)}`, ...instances.split('\n')]
  return lines.map((line) => `${time.toISOString()} ${plain(line)}\n`).join('')
}

function total({ instances, wanted }: ServiceStatus): string {
  const loads = instances.map(({ load }) => load).filter((load) => load !== null)
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)
  const perSecond = sum(loads.map((load) => load.perSecond)).toFixed(1)
  const cpu = sum(loads.map((load) => load.cpu)).toFixed(2)
  const serving = instances.filter(({ state }) => state === 'serving').length
  return `${serving} of ${wanted} serve, ${perSecond} requests/s, ${cpu} CPUs`
}

function isTrouble(line: string): boolean {
  return /^last problem|no answer$|: (degraded|failed)/.test(line)
}

/** The name of a file, or a message of the user's code, must not steer the terminal. */
function plain(line: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is removed
  return stripVTControlCharacters(line).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
}
