// Refuses options: values that are not what was expected, and names that nobody knows, with the one that was meant.

import { ThreadwiseError } from './errors.js'

/** Throws TW_ERR_INVALID_OPTION unless `valid`. */
export function checkOption(valid: boolean, option: string, expected: string, received: unknown): void {
  if (!valid) throw new ThreadwiseError('TW_ERR_INVALID_OPTION', { option, expected, received })
}

/** Throws TW_ERR_INVALID_OPTION unless it is a whole number within these bounds. */
export function checkCount(option: string, value: unknown, most: number, least = 1): void {
  checkOption(isCount(value, most, least), option, `a whole number from ${least} to ${most}`, value)
}

/** The same for each item of a list, which must not be empty. */
export function checkCounts(option: string, list: readonly number[], most: number): void {
  checkList(option, list, `whole numbers from 1 to ${most}`, (value) => isCount(value, most))
}

function isCount(value: unknown, most: number, least = 1): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

/** Throws TW_ERR_INVALID_OPTION unless it is a list, not empty, of valid items only. */
export function checkList<T>(
  option: string,
  list: readonly T[],
  expected: string,
  isValid: (item: T) => boolean,
): void {
  const isList = Array.isArray(list) && list.length > 0
  checkOption(isList, option, `a list of ${expected}`, list)
  for (const item of list) checkOption(isValid(item), option, `a list of ${expected}`, item)
}

/** Only what the caller has written: what has got onto Object.prototype, by whatever data, is no option. */
export function ownOptions<T>(options: T): T {
  const isObject = typeof options === 'object' && options !== null
  return isObject ? (Object.assign(Object.create(null) as object, options)) : options
}

/** For checkNames: the names of all options, with a space between each two. */
export function optionNames(names: string): ReadonlySet<string> {
  return new Set(names.split(' '))
}

/** Throws TW_ERR_INVALID_OPTION for a name that is not known: a misspelled option would silently mean its default. */
export function checkNames(options: object, known: ReadonlySet<string>, within = ''): void {
  const names = Object.keys(options)
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!
    const value: unknown = known.has(name) ? undefined : Reflect.get(options, name)
    if (value === undefined) continue // as if it were not there
    const near = nearest(name, [...known])
    const hint = near ? `did you mean ${within}${near}?` : `there are ${[...known].join(', ')}`
    checkOption(false, within + name, `left out: there is no such option (${hint})`, value)
  }
}

/** A name of which few letters are wrong: most typing errors are one or two. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((other) => editDistance(name.toLowerCase(), other.toLowerCase()))
  const least = Math.min(...distances)
  const near = known[distances.indexOf(least)]
  return near !== undefined && least <= Math.min(2, near.length / 2) ? near : undefined
}

/** Letters to insert, remove or replace; by rows, as Wagner and Fischer (1974). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const above = row
    row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1))
    }
  }
  return row[b.length]!
}
