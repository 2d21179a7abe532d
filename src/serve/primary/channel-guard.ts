// What an instance writes on its channel must not end the primary. Node reads the channel, and node:cluster its messages, in callbacks: what
// they throw is an uncaught exception here. A wrong descriptor in the app is enough, fs.writeSync(3, 'x\n'), or an addon that closes one twice.
//
//   bytes -> onread of the handle -> 'internalMessage' -> node:cluster, InFlightConnections, InstanceChannel
//            throws: not JSON        throws: a message of Node's kind that nobody sends

import type { ChildProcess } from 'node:child_process'
import { isError } from '../../primitives/any-realm.js'

/** Bytes of one message. Node collects what has no end of line without limit. */
const MAX_MESSAGE = 64 * 1024 ** 2
const NEWLINE = 10

interface Handle {
  onread?: (this: unknown, buffer: ArrayBuffer | undefined) => unknown
}

/** `onBroken` is called once, with what was wrong; from then on nothing of the channel is read. */
export function guardChannel(child: ChildProcess, onBroken: (problem: string) => void): void {
  let isBroken = false
  const attempt = <T>(action: () => T): T | undefined => {
    if (isBroken) return undefined
    try {
      return action()
    } catch (error) {
      isBroken = true
      onBroken(isError(error) ? error.message : String(error))
      return undefined
    }
  }
  const emit = child.emit.bind(child) as (...args: unknown[]) => boolean
  child.emit = (...args: unknown[]) =>
    args[0] === 'internalMessage' ? (attempt(() => emit(...args)) ?? false) : emit(...args)
  const handle = handleOf(child)
  const read = handle?.onread
  if (!handle || !read) return
  let pending = 0
  handle.onread = function (buffer) {
    if (!buffer) return read.call(this, buffer) // its end: without it the child would never be closed
    return attempt(() => {
      pending = unended(buffer, pending)
      if (pending > MAX_MESSAGE) throw new Error(`a message of more than ${MAX_MESSAGE} bytes`)
      return read.call(this, buffer)
    })
  }
}

/** Bytes of the message that has no end yet. */
function unended(buffer: ArrayBuffer, before: number): number {
  const bytes = new Uint8Array(buffer)
  const end = bytes.lastIndexOf(NEWLINE)
  return end < 0 ? before + bytes.length : bytes.length - end - 1
}

/** Node keeps it under a symbol of its own. A Node without it has no guard for bytes. */
function handleOf(child: ChildProcess): Handle | undefined {
  const key = Object.getOwnPropertySymbols(child).find(({ description }) => description === 'kChannelHandle')
  return key && (child as unknown as Record<symbol, Handle | undefined>)[key]
}
