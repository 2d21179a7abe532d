// The processes that an instance has started, and those that they have started: all are in its process group, and none outlives it. A program
// that makes a group of its own (`detached: true`, a daemon) asks to outlive its parent, and does.
//
// On Windows there are no process groups: only the process itself is ended.

import { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

/** How long what an instance has left behind may take to end. */
const END_MS = 1000
/** And to be gone after SIGKILL. */
const KILLED_MS = 500
const LOOK_MS = 20

const hasGroups = process.platform !== 'win32'

type Spawn = (this: ChildProcess, options: object) => unknown

/**
 * Runs `fork`, which starts a process, so that this process leads a group of its own. node:cluster has no option for that, so the option is
 * set on the way. A Node that starts processes otherwise leaves them in the group of the primary.
 */
export function inOwnGroup<T>(fork: () => T): T {
  const prototype = ChildProcess.prototype as unknown as { spawn?: Spawn }
  const { spawn } = prototype
  if (!hasGroups || typeof spawn !== 'function') return fork()
  prototype.spawn = function (options) {
    return spawn.call(this, { ...options, detached: true })
  }
  try {
    return fork()
  } finally {
    prototype.spawn = spawn
  }
}

/** To all of the group that `pid` leads; false when none of it is left. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (pid <= 0) return false // it could not be started; 0 would be our own group
  try {
    process.kill(hasGroups ? -pid : pid, signal)
    return true
  } catch (error) {
    // EPERM: they run as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The leader has ended: ends what is left of its group. Resolves when that is done. */
export async function endGroup(pid: number): Promise<void> {
  if (!hasGroups || !signalGroup(pid, 'SIGTERM')) return
  await untilGone(pid, END_MS)
  if (signalGroup(pid, 'SIGKILL')) await untilGone(pid, KILLED_MS)
}

/** In a container whose first process collects no orphans they stay as zombies, and nothing here tells these from the living. */
async function untilGone(pid: number, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs
  while (signalGroup(pid, 0) && performance.now() < end) await delay(LOOK_MS)
}
