// What `threadwise monit` shows at one moment: a screen of a terminal, or plain lines for a log. Pure functions.

import { stripVTControlCharacters } from 'node:util'
import type { ServiceStatus } from '../cluster/events.js'
import { describeService } from './service-table.js'

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
