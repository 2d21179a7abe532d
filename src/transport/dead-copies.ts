// Frees the copies of large buffers that were moved to this thread, soon after its program has dropped them.
//
// V8 counts the bytes of buffers as external memory, and these make it collect the old generation, never the young one
// (nodejs/node#1671), where nearly all copies die: they wait until 64 MB have gathered in a thread, and then cost a full
// collection. So whoever has sent 8 MB of copies to a thread says so by a message, and the thread collects its young
// generation. docs/transport.md has what that gains.
//
//   sender:   copy, copy, ... 8 MB: { type: 'collect' }, copy, ...
//   receiver: on 'collect', one collection, of half a millisecond or so, for at most a third of its time

import type { CopyBuffers } from '../protocol/message-parts.js'

/** Bytes. Several workers say it at about the same time, and V8 notices late what it has freed: with 16 MB main often reached 64 all the same. */
const ENOUGH = 8 * 1024 * 1024
/**
 * It rests for twice the time that it takes: a program that keeps what it gets gains nothing, and must not pay much. What counts is the
 * shorter of the last two, since one may have waited for a CPU: a rest of 20 ms more lets enough gather for a full collection.
 */
const REST_FACTOR = 2
/** Two threads that prepare themselves in the same moment can spoil it for one of them. */
const MAX_ATTEMPTS = 3

type CollectYoung = (options: { readonly type: 'minor' }) => void

/** The same, and calls `tell` once for each 8 MB of copies. */
export function countCopies(copy: CopyBuffers, tell: () => void): CopyBuffers {
  let bytes = 0
  return (value) => {
    const copied = copy(value)
    if (!copied) return undefined
    for (const buffer of copied.buffers) bytes += buffer.byteLength
    if (bytes >= ENOUGH) {
      bytes = 0
      tell()
    }
    return copied
  }
}

/** To be called when 8 MB of copies have arrived: collects the young generation, for at most a third of the time. */
export function createCopyCollector(now: () => number, find = findCollectYoung): () => void {
  let collectYoung: CollectYoung | undefined
  let attempts = 0
  let restUntil = -Infinity
  let before = 0
  return () => {
    if (now() < restUntil) return
    if (!collectYoung && attempts++ < MAX_ATTEMPTS) collectYoung = find()
    if (!collectYoung) return
    const called = now()
    collectYoung({ type: 'minor' })
    const took = now() - called
    restUntil = called + took + REST_FACTOR * Math.min(took, before)
    before = took
  }
}

/**
 * V8 gives the function to contexts that are made while a flag is set; to set it later is what Node's own people advise
 * (nodejs/node#16595). It is set for that moment only, so that nothing else of the program is given it.
 */
function findCollectYoung(): CollectYoung | undefined {
  const { electron, nw } = process.versions as { electron?: string; nw?: string }
  if (electron ?? nw) return undefined // flags may be frozen there: to set one then ends the program
  try {
    return 'gc' in globalThis ? exposed() : exposeFor(exposed)
  } catch {
    return undefined // not V8, or one without such a function
  }
}

/** Undefined unless the program was started with --expose-gc. By getBuiltinModule, to load the module for those who need it. */
function exposed(): CollectYoung | undefined {
  const { createContext, runInContext } = process.getBuiltinModule('node:vm')
  return runInContext('globalThis.gc', createContext()) as CollectYoung | undefined
}

function exposeFor<Result>(work: () => Result): Result {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--expose-gc')
  try {
    return work()
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
