// How an instance ends: after its connections, whoever sends SIGTERM, and also when the primary is gone.

import cluster from 'node:cluster'
import type { Drain } from './drain.js'

export interface Ending {
  /** The connections are closed, or the grace is over: SIGTERM may have its effect. */
  allow(): void
}

export function createEnding(drain: Drain, graceMs: number): Ending {
  let isAllowed = false
  let asked: 'default' | 'own handler' | undefined
  const end = () => {
    if (asked === 'default') endBySignal(onTerm)
    // The user's handler closes what is open, and then the process ends, as it does without a primary. Not before SIGTERM:
    // perhaps only the channel keeps the process alive, and the handler would never run.
    else process.channel?.unref()
  }
  const onTerm = () => {
    asked ??= process.listenerCount('SIGTERM') > 1 ? 'own handler' : 'default'
    if (isAllowed) end()
    else if (asked === 'default') void drain.run().then(allow)
  }
  const allow = () => {
    isAllowed = true
    if (asked !== undefined) end()
  }
  process.on('SIGTERM', onTerm)
  // Ctrl-C and a terminal that closes reach the whole process group: the primary decides what they mean.
  process.on('SIGINT', ignore)
  process.on('SIGHUP', ignore)
  process.prependOnceListener('disconnect', () => {
    // Keeps node:cluster from ending this process at once.
    cluster.worker!.exitedAfterDisconnect = true
    endWithoutPrimary(drain, graceMs)
  })
  return { allow }
}

function ignore(): void {}

/** The primary cannot count the grace any more. The second limit is for a SIGTERM handler that does not end. */
function endWithoutPrimary(drain: Drain, graceMs: number): void {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs)
    if (process.listenerCount('SIGTERM') > 1) process.kill(process.pid, 'SIGTERM')
    else process.exit(0)
  }
  setTimeout(end, graceMs)
  void drain.run().then(end)
}

/** With the default effect of SIGTERM. */
function endBySignal(handler: () => void): void {
  process.off('SIGTERM', handler)
  process.kill(process.pid, 'SIGTERM')
}
