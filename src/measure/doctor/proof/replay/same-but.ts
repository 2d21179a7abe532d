// Whether a result is as expected but for what depends on the time or on chance: where calls with the same arguments differ.

import { isDeepStrictEqual, types } from 'node:util'

/** Of the length of bytes, such as of a compressed file with a time in it. */
const SAME_LENGTH = 0.1
/** Shorter ends of a text that are the same say nothing. */
const MIN_TEXT = 4

interface Compared {
  readonly expected: unknown
  /** Two or more. Of only two, texts of chance begin alike now and then. */
  readonly alone: readonly unknown[]
}

/** Null: it is something else. Otherwise how many values could be compared. */
export function sameBut({ expected, alone }: Compared): number | null {
  const [one, ...others] = alone
  if (others.every((other) => isDeepStrictEqual(one, other)))
    return isDeepStrictEqual(expected, one) ? 1 : null
  if (isDeepStrictEqual(expected, one)) return 1
  const all = [expected, ...alone]
  if (all.every((each) => typeof each === 'string')) return sameTexts(all)
  if (all.every((each) => ArrayBuffer.isView(each))) return sameBytes(all)
  if (!all.every(isTable)) return all.every((each) => kindOf(each) === kindOf(one)) ? 0 : null
  const keys = new Set(all.flatMap((each) => Object.keys(each)))
  let compared = 0
  for (const key of keys) {
    const [expectedPart, ...parts] = all.map((each) => each[key])
    const found = sameBut({ expected: expectedPart, alone: parts })
    if (found === null) return null
    compared += found
  }
  return compared
}

/** What comes before and after the part in which they differ. */
function sameTexts([expected, ...alone]: readonly string[]): number | null {
  const [one, ...others] = alone as [string, ...string[]]
  const least = Math.min(...alone.map(({ length }) => length))
  let start = 0
  while (start < least && others.every((other) => other[start] === one[start])) start++
  let end = 0
  while (end < least - start && others.every((other) => other.at(-1 - end) === one.at(-1 - end))) end++
  if (!expected!.startsWith(one.slice(0, start))) return null
  if (end > 0 && !expected!.endsWith(one.slice(-end))) return null
  return start + end >= MIN_TEXT ? 1 : 0
}

function sameBytes(all: readonly ArrayBufferView[]): number | null {
  const lengths = all.map(({ byteLength }) => byteLength)
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)]
  if (most - least > SAME_LENGTH * most) return null
  return most > 0 ? 1 : 0
}

function isTable(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !types.isDate(value) &&
    !types.isMap(value) &&
    !types.isSet(value) &&
    !ArrayBuffer.isView(value)
  )
}

function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value)
}
