// Frees the copies of large buffers that were moved to this thread, soon after its program has dropped them.
//
// Nearly all copies die young. V8 collects the young generation for the sake of buffers only when they hold 32 MB, and from 13.6 on (Node
// 24) 128 MB (nodejs/node#61967): before that, at 64 MB, it collects the whole heap. So whoever has sent 8 MB of copies to a thread says so
// by a message, and the thread collects its young generation. docs/maintainers/transport.md has what that gains.
//
//   sender:   copy, copy, ... 8 MB, { type: 'collect' }, copy, ...
//   receiver: on 'collect' one collection, often of half a millisecond; in the long run for a third of its time at most
//
// Such a collection keeps what an old object points to, though that is dead itself. A chain of them keeps all that comes after: V8's Map and
// Set link each table that clear() or growth replaces to the next one, for iterators. So no Set that meets the values of all calls is
// ever cleared (codec/output.ts), and a call that has settled holds nothing of its caller's (core/open-calls.ts), as it may lie in such a table.

import { isCopy } from '../wire/codec/spare-memory.js'

/** Bytes. Several workers say it at about the same time, and V8 notices late what it has freed: with 16 MB main often reached 64 all the same. */
const ENOUGH = 8 * 1024 * 1024
/**
 * It rests for twice the time that it takes: a program that keeps what it gets gains nothing, and must not pay much. The time is averaged,
 * since one may have waited for a CPU: a rest of 20 ms after it lets enough gather for a collection of the whole heap.
 */
const REST_FACTOR = 2
const AVERAGED = 8
/** Two threads that prepare themselves in the same moment can spoil it for one of them. */
const MAX_ATTEMPTS = 3
/** Of V8. */
const COLLECTS_LATE_SINCE = 13.6

type CollectYoung = (options: { readonly type: 'minor' }) => void

/** To be called with each transfer list: calls `tell` before the next one whenever 8 MB of copies were moved, which have been sent by then. */
export function countCopies(tell: () => void): (transfer: readonly object[] | undefined) => void {
  let bytes = 0
  return (transfer) => {
    if (transfer === undefined || transfer.length === 0) return
    if (bytes >= ENOUGH) {
      bytes = 0
      tell()
    }
    for (const each of transfer) if (isCopy(each)) bytes += each.byteLength
  }
}

/** To be called when 8 MB of copies have arrived: collects the young generation, unless it must rest. `now` gives milliseconds. */
export function createCopyCollector(now: () => number, find = findCollectYoung): () => void {
  let collectYoung: CollectYoung | undefined
  let attempts = 0
  let restUntil = -Infinity
  let average = 0
  return () => {
    if (now() < restUntil) return
    if (!collectYoung && attempts++ < MAX_ATTEMPTS) collectYoung = find()
    if (!collectYoung) return
    const called = now()
    collectYoung({ type: 'minor' })
    const end = now()
    average += (end - called - average) / AVERAGED
    restUntil = end + REST_FACTOR * average
  }
}

/**
 * V8 gives the function to contexts that are made while a flag is set. To set it later works, nodejs/node#16595. It is a flag of all
 * threads, so it is unset at once, and left alone where it was set before.
 */
function findCollectYoung(): CollectYoung | undefined {
  if (parseFloat(process.versions.v8) < COLLECTS_LATE_SINCE || isFrozen()) return undefined
  try {
    return ofNewContext() ?? whileExposed(ofNewContext)
  } catch {
    return undefined // not V8
  }
}

/** To set a flag then ends the program. */
function isFrozen(): boolean {
  const { electron, nw } = process.versions as { electron?: string; nw?: string }
  return (electron ?? nw) !== undefined || process.execArgv.some((flag) => /freeze.flags/.test(flag))
}

/** By getBuiltinModule, to load the module only for those who need it. */
function ofNewContext(): CollectYoung | undefined {
  const { createContext, runInContext } = process.getBuiltinModule('node:vm')
  const found: unknown = runInContext('globalThis.gc', createContext())
  return typeof found === 'function' ? (found as CollectYoung) : undefined
}

function whileExposed<Result>(work: () => Result): Result {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--expose-gc')
  try {
    return work()
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
