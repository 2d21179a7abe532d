// Refuses options: values that are not what was expected, and names that nobody knows, with the one that was meant.

import { ThreadwiseError } from './errors.js'
import { didYouMean, nearest } from './nearest.js'

/** Throws TW_ERR_INVALID_OPTION unless `valid`. */
export function checkOption(valid: boolean, option: string, expected: string, received: unknown): void {
  if (!valid) throw new ThreadwiseError('TW_ERR_INVALID_OPTION', { option, expected, received })
}

/** Modules may hold options. All other tags are of values that are no options, and whose entries nobody would read: lists, maps, signals, promises. */
const TAGS_OF_OPTIONS = ['[object Object]', '[object Module]']

/** Throws TW_ERR_INVALID_OPTION unless it is an object that can hold options. */
export function checkObject(option: string, value: unknown, expected = 'an object'): void {
  checkOption(canHoldOptions(value), option, expected, value)
}

function canHoldOptions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Object.getPrototypeOf(value) === Object.prototype) return true
  return TAGS_OF_OPTIONS.includes(Object.prototype.toString.call(value))
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

/** Only what the caller has written: what has got onto Object.prototype, by whatever data, is no option. What holds no options stays as it is, for a check to refuse. */
export function ownOptions<T>(options: T): T {
  return canHoldOptions(options) ? Object.assign(Object.create(null) as object, options) : options
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

/** Throws TW_ERR_INVALID_OPTION unless it is one of these words; tells which was meant. */
export function checkWord(option: string, value: unknown, words: readonly string[]): void {
  const isKnown = typeof value === 'string' && words.includes(value)
  checkOption(isKnown, option, `one of ${words.join(', ')}${didYouMean(value, words)}`, value)
}

/** The same for whatever a call may be aborted with; undefined: it has none. */
export function checkSignal(option: string, value: unknown): void {
  if (value === undefined) return
  const { aborted, addEventListener, removeEventListener, signal } = (value ?? {}) as Record<string, unknown>
  const isListenable = [addEventListener, removeEventListener].every((part) => typeof part === 'function')
  const hint = typeof signal === 'object' ? ': the signal of this controller (controller.signal)' : ''
  checkOption(typeof aborted === 'boolean' && isListenable, option, `an AbortSignal${hint}`, value)
}

/** The same for a function; undefined: there is none. */
export function checkFunction(option: string, value: unknown): void {
  checkOption(value === undefined || typeof value === 'function', option, 'a function', value)
}

/** The same for a switch; undefined: its default. */
export function checkSwitch(option: string, value: unknown): void {
  checkOption(value === undefined || typeof value === 'boolean', option, 'true or false', value)
}

/** The same for text that is not empty; undefined: its default. */
export function checkText(option: string, value: unknown, expected: string): void {
  checkOption(value === undefined || (typeof value === 'string' && value !== ''), option, expected, value)
}

/** The same for environment variables. */
export function checkVariables(option: string, value: unknown): void {
  checkObject(option, value, 'an object of environment variables')
  for (const [name, text] of Object.entries(value as object) as [string, unknown][]) {
    const isText = text === undefined || typeof text === 'string'
    checkOption(isText, `${option}.${name}`, 'text, or undefined', text)
    checkVariable(option, name, text)
  }
}

/** Of its form: a program would get another variable, `A` for `{ 'A=B': 'c' }`, or could not be started. */
export function checkVariable(option: string, name: string, text: unknown): void {
  checkOption(
    name !== '' && !/[=\0]/.test(name),
    option,
    'variables whose names are not empty, and without = and NUL',
    name,
  )
  const isWhole = typeof text !== 'string' || !text.includes('\0')
  checkOption(isWhole, `${option}.${name}`, 'text without NUL', text)
}

/** The same for a list of texts, which may be empty. */
export function checkTexts(option: string, value: unknown): void {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  checkOption(isList, option, 'a list of strings', value)
}
