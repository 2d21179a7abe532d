// How an instance ends: after its connections did, whoever asks for it and whatever becomes of the primary.

import cluster from 'node:cluster'
import type { Drain } from './drain.js'

export interface Ending {
  /** The connections are closed, or had their time: SIGTERM may do what it does. */
  allow(): void
}

export function createEnding(drain: Drain, graceMs: number): Ending {
  let isAllowed = false
  let isAsked = false
  const allow = () => {
    isAllowed = true
    // A program whose SIGTERM handler closes all that it has open then ends by itself, as it does without a primary.
    process.channel?.unref()
    if (isAsked) endBySignal(onTerm)
  }
  const onTerm = () => {
    // The user's own handler knows better.
    if (process.listenerCount('SIGTERM') > 1) return
    if (isAllowed) return endBySignal(onTerm)
    isAsked = true
    void drain.run().then(allow)
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

/** Nobody is left to count the time. The second limit is for a SIGTERM handler that does not come to an end. */
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

/** As if there had been no handler. */
function endBySignal(handler: () => void): void {
  process.off('SIGTERM', handler)
  process.kill(process.pid, 'SIGTERM')
}
