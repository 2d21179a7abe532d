// Writes a string: in one byte a character where that is enough, in UTF-8 or UTF-16 otherwise.

import type { Memory } from './memory.js'
import * as tag from './tags.js'

/** Longer strings are cheaper in native code than byte by byte. */
const SHORT_STRING = 24

/** Bytes before the text: its tag and its length. */
const HEADER = 5

/** Not in every supported Node. Loaded with the first long string: that takes 3 ms, which no start should wait for. */
let isOneByte: ((text: string) => boolean) | undefined
let isOneByteLoaded = false

/** Writes from byte `at`, before `end`. Returns where the text ends; -1 if it did not fit. */
export function writeText(memory: Memory, at: number, end: number, text: string): number {
  const { bytes } = memory
  const { length } = text
  if (length < SHORT_STRING) {
    const next = writeShort(bytes, at, end, text)
    if (next >= 0) return next
  }
  const room = end - at - HEADER
  if (length > room) return -1
  if (isLatin1(text)) return finish(memory, at, tag.LATIN1, bytes.write(text, at + HEADER, 'latin1'))
  // UTF-8 takes at most three bytes for each of JavaScript's characters.
  if (length * 3 > room && Buffer.byteLength(text) > room) return -1
  if (!text.isWellFormed()) return writeUtf16(memory, at, end, text)
  const size = bytes.write(text, at + HEADER, 'utf8')
  return finish(memory, at, size === length ? tag.LATIN1 : tag.UTF8, size)
}

/** -1: it did not fit, or has characters of more than a byte. */
function writeShort(bytes: Buffer, at: number, end: number, text: string): number {
  const { length } = text
  const start = at + 2
  if (start + length > end) return -1
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 255) return -1
    bytes[start + i] = code
  }
  bytes[at] = tag.SHORT
  bytes[at + 1] = length
  return start + length
}

/** UTF-8 would replace lone surrogates. */
function writeUtf16(memory: Memory, at: number, end: number, text: string): number {
  if (at + HEADER + text.length * 2 > end) return -1
  return finish(memory, at, tag.UTF16, memory.bytes.write(text, at + HEADER, 'utf16le'))
}

function finish(memory: Memory, at: number, which: number, size: number): number {
  memory.bytes[at] = which
  memory.view.setUint32(at + 1, size, true)
  return at + HEADER + size
}

function isLatin1(text: string): boolean {
  if (!isOneByteLoaded) {
    isOneByteLoaded = true
    isOneByte = (process.getBuiltinModule?.('node:v8') as OneByteTest | undefined)
      ?.isStringOneByteRepresentation
  }
  return isOneByte !== undefined && isOneByte(text)
}

interface OneByteTest {
  isStringOneByteRepresentation?: (text: string) => boolean
}
