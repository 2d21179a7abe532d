// `threadwise monit`: shows the load of a service until it ends, or until somebody says so.

import { askService } from '../cluster/control-client.js'
import type { ServiceStatus } from '../cluster/events.js'
import { checkName } from '../cluster/options.js'
import { checkOption, isThreadwiseError } from '../errors.js'
import { plainLines, screenFrame } from './monit-frame.js'
import { terminalOptions } from './terminal-options.js'
import { pause } from './pause.js'

export interface MonitFlags {
  interval?: number
}

const LEAST_MS = 100
const MOST_MS = 3_600_000

/** The exit code. */
export async function runMonit(name: string, { interval = 1000 }: MonitFlags): Promise<number> {
  checkName(name)
  const isTime = interval >= LEAST_MS && interval <= MOST_MS
  checkOption(isTime, 'interval', `milliseconds from ${LEAST_MS} to ${MOST_MS}`, interval)
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
  process.stdout.write(`${name} runs no more.\n`)
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
