// `threadwise monit`: shows the load of a service until it ends, or until somebody says so.

import { askService, listServices } from '../../serve/control/control-client.js'
import type { InstanceLoad, ServiceStatus } from '../../serve/contract/events.js'
import { checkName } from '../../serve/contract/service-name.js'
import { checkOption } from '../../errors/check-options.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { terminalOptions } from '../terminal/terminal-options.js'
import { plain } from '../terminal/plain.js'
import { pause } from '../terminal/interrupt.js'
import { describeService } from './service-table.js'

export interface MonitFlags {
  interval?: number
}

const MIN_MS = 100
const MAX_MS = 3_600_000

/** The exit code. */
export async function runMonit(given: string | undefined, { interval = 1000 }: MonitFlags): Promise<number> {
  const name = given ?? (await onlyService())
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

/** Where only one runs, it need not be named. */
async function onlyService(): Promise<string> {
  const { services, silent } = await listServices()
  const names = [...services.map(({ name }) => name), ...silent]
  const expected = names.length === 0 ? 'the name of a service, and none runs' : `one of ${names.join(', ')}`
  checkOption(names.length === 1, 'name', expected, undefined)
  return names[0]!
}

const ENDS: readonly string[] = ['TW_ERR_SERVICE_NOT_FOUND', 'TW_ERR_SERVICE_STOPPED']

/** Null when it has ended. */
async function statusOf(name: string): Promise<ServiceStatus | null> {
  try {
    return await askService(name, { command: 'inspect' })
  } catch (error) {
    const isEnd = isThreadwiseError(error) && ENDS.includes(error.code)
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
    return { show: (status) => void stdout.write(monitLines(status, new Date())), close() {} }
  const history: ServiceStatus[] = []
  stdout.write('\x1b[?1049h\x1b[?25l') // the other screen, so that what was there comes back; no cursor
  return {
    show(status) {
      const { color } = terminalOptions(stdout)
      // Some terminals do not say how large they are: then it is 0.
      const { columns, rows } = stdout
      history.push(status)
      if (history.length > MAX_HISTORY) history.shift()
      stdout.write(screenFrame(status, { columns: columns || 80, rows: rows || 24, color }, history))
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
const RED = '31'
const YELLOW = '33'

/** Looks that are kept. */
const MAX_HISTORY = 240

/** Replaces what the screen shows, without clearing it first: that would flicker. The last of the history is now. */
export function screenFrame(
  status: ServiceStatus,
  { columns, rows, color }: Screen,
  history: readonly ServiceStatus[] = [status],
): string {
  const described = describeService(status, columns).trimEnd().split('\n')
  const shown = [...described, '', total(status), ...historyLines(history, columns), 'q ends']
  const lines = shown.slice(0, Math.max(1, rows)).map((line) => {
    const style = styleOf(line)
    const text = plain(line).slice(0, columns)
    return color && style !== undefined ? `\x1b[${style}m${text}\x1b[0m` : text
  })
  return `\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`
}

function styleOf(line: string): string | undefined {
  if (/^INSTANCE/.test(line)) return BOLD
  if (/: failed,| failing /.test(line)) return RED
  return isTrouble(line) ? YELLOW : undefined
}

interface Figure {
  readonly label: string
  readonly of: (load: InstanceLoad) => number
  readonly textOf: (value: number) => string
}

/** What it was since the start of this view: requests or memory, and CPUs, each as a line of bars. */
function historyLines(history: readonly ServiceStatus[], columns: number): string[] {
  const figures: Figure[] = [
    { label: 'requests/s', of: ({ perSecond }) => perSecond, textOf: (value) => value.toFixed(1) },
    { label: 'CPUs', of: ({ cpu }) => cpu, textOf: (value) => value.toFixed(2) },
    { label: 'memory', of: ({ rss }) => rss, textOf: (value) => `${Math.round(value / 1024 ** 2)} MB` },
  ]
  const known = history.at(-1)!.kind === 'server' ? figures : figures.slice(1)
  return known.map(({ label, of, textOf }) => {
    const values = history.map((status) => sumOf(status, of))
    const end = ` up to ${textOf(Math.max(...values))}`
    return `${label.padEnd(11)}${sparkline(values, columns - 11 - end.length)}${end}`
  })
}

const BARS = '▁▂▃▄▅▆▇█'

/** The last values, one sign each, against the largest of them. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.slice(-Math.max(1, width))
  const most = Math.max(...shown)
  return shown.map((value) => BARS[most > 0 ? Math.min(7, Math.floor((8 * value) / most)) : 0]).join('')
}

function sumOf({ instances }: ServiceStatus, of: (load: InstanceLoad) => number): number {
  return instances.reduce((sum, { load }) => sum + (load ? of(load) : 0), 0)
}

/** One line for the service, and one for each instance. */
export function monitLines(status: ServiceStatus, time: Date): string {
  const { name, state } = status
  const [, instances = ''] = describeService(status)
    .trimEnd()
    .split(/\n(?=INSTANCE)/)
  const lines = [`${name} ${state}, ${total(status)}`, ...instances.split('\n').filter(Boolean)]
  return lines.map((line) => `${time.toISOString()} ${plain(line)}\n`).join('')
}

function total(status: ServiceStatus): string {
  const { instances, wanted, kind } = status
  const cpu = `${sumOf(status, (load) => load.cpu).toFixed(2)} CPUs`
  const serving = instances.filter(({ state }) => state === 'serving').length
  if (kind !== 'server') return `${serving} of ${wanted} run, ${cpu}`
  return `${serving} of ${wanted} serve, ${sumOf(status, (load) => load.perSecond).toFixed(1)} requests/s, ${cpu}`
}

function isTrouble(line: string): boolean {
  return /^last problem|no answer$|: (degraded|failed)/.test(line)
}
