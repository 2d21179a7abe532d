// Stops a service: until its process has ended, its log is complete, its name is free, and it is remembered as stopped.

import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { isEnded } from '../../user/line-socket.js'
import { askService, livingRecord } from './control-client.js'
import { isRunning, isSuspended, startOf } from './process-start.js'

/** What a stop waits for is said when it takes longer than people expect, and when it changes. */
const SAY_MS = 2000
const LOOK_MS = 5
/** The kernel closes the connections of a process just before it is gone. One in another container has an id that is not ours. */
const GONE_MS = 2000
/** Longer than a grace usually is: whoever cannot be asked cannot say how long its own is. */
const SIGNAL_MS = 60_000

/**
 * Resolves when its process has ended. `say` is told what it waits for.
 *
 * @throws what askService() does (as a rejection)
 */
export async function stopService(name: string, say: (text: string) => void): Promise<void> {
  const found = await processOf(name)
  if (found.isUnreachable) return endBySignal(name, found, say)
  const { pid, start } = found
  let said: string | undefined
  const sayWhatIsLeft = async () => {
    const text = await whatIsLeft(name, pid)
    if (text !== said) say(text)
    said = text
  }
  const timer = setInterval(() => void sayWhatIsLeft(), SAY_MS)
  try {
    await askService(name, { command: 'stop' })
  } catch (error) {
    if (!isEnded(error)) throw error
    say(`its process ${pid} was killed meanwhile; what is left of its instances ends within the grace`)
  } finally {
    clearInterval(timer)
  }
  const end = performance.now() + GONE_MS
  while (isRunning(pid, start) && performance.now() < end) await delay(LOOK_MS)
}

interface FoundProcess {
  readonly pid: number
  readonly start: number
  /** It runs, and has no socket. */
  readonly isUnreachable: boolean
}

async function processOf(name: string): Promise<FoundProcess> {
  try {
    const { pid } = await askService(name, { command: 'status' })
    return { pid, start: startOf(pid), isUnreachable: false }
  } catch (error) {
    const record = livingRecord(name)
    const isLost =
      isThreadwiseError(error) &&
      error.code === 'TW_ERR_SERVICE_SILENT' &&
      record &&
      !existsSync(record.socket)
    if (!isLost) throw error
    return { pid: record.pid, start: record.start, isUnreachable: true }
  }
}

/** No folder can hold its socket, but its process is known, and SIGTERM lets its requests end just as well. */
async function endBySignal(
  name: string,
  { pid, start }: FoundProcess,
  say: (text: string) => void,
): Promise<void> {
  // Windows has no signal that lets a program end its requests.
  if (isSuspended(pid) || process.platform === 'win32')
    throw new ThreadwiseError('TW_ERR_SERVICE_SILENT', { name })
  say(`it has no socket any more; its process ${pid} is told to end by SIGTERM`)
  process.kill(pid, 'SIGTERM')
  const end = performance.now() + SIGNAL_MS
  while (isRunning(pid, start)) {
    if (performance.now() > end) throw new ThreadwiseError('TW_ERR_SERVICE_SILENT', { name })
    await delay(LOOK_MS)
  }
}

async function whatIsLeft(name: string, pid: number): Promise<string> {
  try {
    const { instances } = await askService(name, { command: 'status' })
    const pids = instances.map((instance) => instance.pid).join(', ')
    if (instances.length > 0) return `waits for its instances (${pids}), at most for the grace`
  } catch {
    // It has closed its socket, or is too busy to answer.
  }
  return `waits for its process ${pid} to end`
}
