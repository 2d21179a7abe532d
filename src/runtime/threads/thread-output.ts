// Passes on what worker threads print, and opens the streams of this process only when something is printed.
//
// To open process.stdout takes Node 3 ms where it is a pipe. Its own pipes do that as the first worker is started, when all CPUs are
// needed for the start. So workers get streams without pipes, by their options `stdout` and `stderr`. But to read such a stream holds
// the program until the worker ends, even if all others have done their work; for its own pipes Node switches that off by a symbol
// (lib/internal/worker/io.js, the same in 20, 22, 24 and 26). Where there is no such symbol Node's pipes are used.
//
// Until the first result of two threads 53.2 instead of 55.1 ms (Node 24, medians of 60 runs by turns; bare threads 51.4) and 52.0
// instead of 55.1 (Node 20, 30 runs; bare threads 48.7).

import type { Readable, Writable } from 'node:stream'
import type { Worker } from 'node:worker_threads'
import { passOutput, targetOf, type Output } from '../pool/workers/print-output.js'

const NAMES = ['stdout', 'stderr'] as const

let hasPipes = false

/** For the next worker: whether it has streams without pipes. */
export function outputOptions(): { stdout: boolean; stderr: boolean } {
  return { stdout: !hasPipes, stderr: !hasPipes }
}

/**
 * False: this worker would hold the program; outputOptions() are those of another one that does not. `workerName`: what each line begins with,
 * in brackets, where it is labelled.
 */
export function passOn(worker: Worker, output: Output, workerName: string): boolean {
  if (!hasPipes && !NAMES.every((name) => letProgramEnd(worker[name]))) {
    hasPipes = true
    return false
  }
  for (const name of NAMES) {
    const target = targetOf(output, name) // as it is now: see connectLater()
    const pass = () => passOutput(worker[name], target, output === 'labelled' ? workerName : undefined)
    if (hasPipes && output !== 'inherit') takeOver(worker[name], process[name], pass)
    else if (!hasPipes && isOwn(output, name)) pass()
    else if (!hasPipes) connectLater(worker, name, output === 'labelled' ? pass : undefined)
  }
  return true
}

/** It leads to a stream of the user's, which is open. */
function isOwn(output: Output, name: (typeof NAMES)[number]): boolean {
  return typeof output === 'object' && output[name] !== undefined
}

/** False: it cannot be told. */
function letProgramEnd(stream: Readable): boolean {
  const isIt = ({ description }: symbol) => description === 'kIncrementsPortRef'
  const symbol = Object.getOwnPropertySymbols(stream).find(isIt)
  return symbol !== undefined && Reflect.set(stream, symbol, false)
}

/** Once it prints. What a worker says last must be passed on before others learn that it has ended: they may end the program. */
function connectLater(worker: Worker, name: (typeof NAMES)[number], pass: (() => void) | undefined): void {
  const from = worker[name]
  // As Node's pipes do, it leads to what the stream is now, whatever takes its place for a while.
  const own = Object.getOwnPropertyDescriptor(process, name)!
  if (!own.get) return pass ? pass() : connect(from, own.value as Writable)
  let isConnected = false
  const connectOnce = () => {
    if (isConnected || from.readableLength === 0) return // 0: it ends
    isConnected = true
    if (pass) pass()
    else connect(from, own.get!.call(process) as Writable)
    while (from.read() !== null); // gives what there is to those who listen
  }
  from.once('readable', connectOnce)
  worker.once('exit', connectOnce)
}

function connect(from: Readable, to: Writable): void {
  // Each pipe listens to the stream that it leads to: of the eleventh Node would warn as of a leak. Not by getMaxListeners(): a limit
  // that nobody has set would be set.
  const limit: unknown = Reflect.get(to, '_maxListeners')
  to.setMaxListeners(Infinity)
  from.pipe(to)
  Reflect.set(to, '_maxListeners', limit)
}

/** From Node's pipe. */
function takeOver(from: Readable, to: Writable, pass: () => void): void {
  from.unpipe(to)
  pass()
  from.resume() // unpipe() has paused it
}
