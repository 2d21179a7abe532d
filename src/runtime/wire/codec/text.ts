// Whether a text fits into one byte a character. V8 knows; up to Node 22 it does not tell.

/** Up to so many characters a look at each is faster than to ask V8. */
const SHORT = 64

const WIDE = /[^\0-\xff]/
let ask: ((text: string) => boolean) | null | undefined

export function isOneByte(text: string): boolean {
  if (text.length <= SHORT) return !WIDE.test(text)
  if (ask === undefined) ask = findQuestion()
  return ask === null ? !WIDE.test(text) : ask(text)
}

/** Not by import: node:v8 brings modules along that most workers never need. */
function findQuestion(): ((text: string) => boolean) | null {
  const v8 = process.getBuiltinModule('node:v8') as {
    isStringOneByteRepresentation?: (text: string) => boolean
  }
  return v8.isStringOneByteRepresentation ?? null
}
