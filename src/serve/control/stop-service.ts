// Stops a service: until its process has ended, its log is complete, its name is free, and it is remembered as stopped.

import { setTimeout as delay } from 'node:timers/promises'
import { askService, isEnded } from './control-client.js'
import { isRunning, startOf } from './process-start.js'

/** What a stop waits for is said when it takes longer than people expect, and when it changes. */
const SAY_MS = 2000
const LOOK_MS = 5
/** The kernel closes the connections of a process just before it is gone. One in another container has an id that is not ours. */
const GONE_MS = 2000

/**
 * Resolves when its process has ended. `say` is told what it waits for.
 *
 * @throws what askService() does (as a rejection)
 */
export async function stopService(name: string, say: (text: string) => void): Promise<void> {
  const { pid } = await askService(name, { command: 'status' })
  const start = startOf(pid)
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
