// How an instance ends. The app is told when draining begins, by its stop signal, if it listens to that: it may close what only it can close,
// such as WebSockets, and save what it has. An app that does not listen ends after its connections.
//
//   draining begins ──> calm (drain.ts) ──> stop signal ──> the app closes what it has, and the process ends by itself
//                                           └─ no handler ──> its connections end, or the grace is over ──> SIGTERM

import cluster from 'node:cluster'
import type { StopSignal } from '../contract/instance-messages.js'
import type { Drain } from './drain.js'

export interface Ending {
  /** Draining begins. */
  begin(): void
  /** The connections are closed, or the grace is over: an app that does not end by itself is ended. */
  allow(): void
}

export interface EndSettings {
  readonly graceMs: number
  readonly stopSignal: StopSignal
}

export function createEnding(drain: Drain, { graceMs, stopSignal }: EndSettings): Ending {
  /** The app knows, and ends by itself. */
  let isTold = false
  const tell = () => {
    if (isTold) return
    if (stopSignal === 'message') process.emit('message', 'shutdown', undefined)
    else if (hasHandler(stopSignal)) raise(stopSignal)
    else return
    isTold = true
  }
  const end = () => {
    tell() // it may have got its handler since
    // Perhaps only the channel keeps the process alive.
    process.channel?.unref()
    if (!isTold) endBySignal(onTerm)
  }
  const onTerm = () => {
    // From outside, such as from systemd: a handler of the app runs now, too.
    if (hasHandler('SIGTERM')) isTold = true
    else void drain.run().then(end)
  }
  // Ctrl-C and a terminal that closes may reach instances too: the primary decides what they mean.
  const onInterrupt = () => (isTold ||= hasHandler('SIGINT'))
  process.on('SIGTERM', onTerm)
  process.on('SIGINT', onInterrupt)
  process.on('SIGHUP', ignore)
  if (!['SIGTERM', 'SIGINT', 'SIGHUP', 'message'].includes(stopSignal)) process.on(stopSignal, ignore)
  const begin = () => void drain.calm().then(tell)
  process.prependOnceListener('disconnect', () => {
    // Keeps node:cluster from ending this process at once.
    cluster.worker!.exitedAfterDisconnect = true
    begin()
    endWithoutPrimary(drain, { graceMs, isTold: () => isTold })
  })
  return { begin, allow: end }
}

function ignore(): void {}

/** Besides ours, which is there for each signal that is asked for here. */
function hasHandler(signal: string): boolean {
  return process.listenerCount(signal) > 1
}

/** The primary cannot count the grace any more. */
function endWithoutPrimary(
  drain: Drain,
  { graceMs, isTold }: { graceMs: number; isTold: () => boolean },
): void {
  const end = () => {
    if (!isTold()) process.exit(0)
  }
  const late = () => {
    end()
    process.kill(process.pid, 'SIGKILL') // its handler does not end
  }
  setTimeout(late, graceMs).unref()
  void drain.run().then(end)
}

/** Calls the handlers of a signal. On Windows a signal to a process calls none, and ends it at once. */
function raise(signal: NodeJS.Signals): void {
  if (process.platform === 'win32') process.emit(signal, signal)
  else process.kill(process.pid, signal)
}

/** With the default effect of SIGTERM; on Windows that would be the exit code 1 of a fault. */
function endBySignal(handler: () => void): void {
  process.off('SIGTERM', handler)
  if (process.platform === 'win32') process.exit(0)
  process.kill(process.pid, 'SIGTERM')
}
