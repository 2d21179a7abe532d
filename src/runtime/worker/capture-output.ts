// What a worker prints goes to its pool as messages, in one order with its replies: whoever has a result has what was printed before it.
//
// By itself Node gives a thread's output to main piece by piece, each when main asks for it, and a child's to a pipe whose reader may be
// slow. What lies there when the program ends, or the worker is ended, is lost.

import type { OutputMessage } from '../wire/messages.js'

interface Stream {
  _write(chunk: string | Uint8Array, encoding: BufferEncoding, written: () => void): void
}

export type Print = (to: OutputMessage['to'], text: string | Uint8Array) => void

/** `isPassed`: whether a stream's output is to be given to `print`. Not asked before somebody uses the stream: to open it takes time. */
export function captureOutput(print: Print, isPassed: (stream: object) => boolean = () => true): void {
  for (const [name, to] of [['stdout', 1] as const, ['stderr', 2] as const]) {
    const own = Object.getOwnPropertyDescriptor(process, name)
    if (!own?.get) continue // a module that was loaded before has put another one in its place
    const open = () => {
      Object.defineProperty(process, name, own)
      const stream = own.get!.call(process) as Stream
      if (isPassed(stream)) capture(stream, (text) => print(to, text))
      return stream
    }
    Object.defineProperty(process, name, { ...own, get: open })
  }
}

function capture(stream: Stream, print: (text: string | Uint8Array) => void): void {
  stream._write = (chunk: string | Uint8Array, encoding, written) => {
    print(typeof chunk === 'string' && !/^utf-?8$/i.test(encoding) ? Buffer.from(chunk, encoding) : chunk)
    written()
  }
  Reflect.set(stream, '_writev', undefined) // it would be asked for several at once
}
