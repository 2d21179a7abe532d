// Values of command-line options that are more than a string. Each function fails with what was expected.

import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { whyNotOwn } from '../../user/own-output.js'

export function parseNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.')
  return value
}

/** "0.6,1,2" */
export function parseNumbers(text: string): number[] {
  return text.split(',').map((part) => {
    const value = Number(part)
    if (part.trim() === '' || !Number.isFinite(value)) {
      throw new InvalidArgumentError('It must be numbers separated by commas, such as 0.6,1,2.')
    }
    return value
  })
}

export function parseWords(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}

/** A file that is written at the end: after minutes it would be too late to say that its folder is not there. */
export function parseOutput(path: string): string {
  const isFolder = (place: string) => statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (path !== '-' && (path === '' || isFolder(path) || !isFolder(dirname(path))))
    throw new InvalidArgumentError('It must be a file in a folder that exists.')
  const problem = path === '-' ? null : whyNotOwn(path)
  if (problem !== null) throw new InvalidArgumentError(`It must be a file of your own: ${problem}.`)
  const isNew = path === '-' || statSync(path, { throwIfNoEntry: false }) === undefined
  if (path !== '-' && !isWritable(isNew ? dirname(path) : path))
    throw new InvalidArgumentError('It must be a file that can be written.')
  return path
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** What `--args` of a verb takes. */
export const ARGUMENT_LISTS =
  "arguments of --task: '[1, 2]', or lists that are used in turn: '[[1, 2], [3, 4]]'"

/** '[[1, 2], [3, 4]]': a list of argument lists; or '[1, 2]', one of them. A list with both is a mistake. */
export function parseArgumentLists(text: string): unknown[][] {
  const expected = `It must be JSON: an argument list such as '["Ada", 3]', or a list of them, such as '[["Ada", 3], ["Bob", 4]]'.`
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InvalidArgumentError(`${expected} (${(error as Error).message})`)
  }
  if (!Array.isArray(value) || value.length === 0) throw new InvalidArgumentError(expected)
  const lists = value.filter((item) => Array.isArray(item)) as unknown[][]
  if (lists.length === 0) return [value]
  if (lists.length < value.length) throw new InvalidArgumentError(expected)
  return lists
}

/** "Name: value", added to those before it. */
export function parseHeader(text: string, earlier: Record<string, string[]> = {}): Record<string, string[]> {
  const [, name, value] = /^([^:]+):(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be a name, a colon and a value, such as 'Accept: text/html'.")
  }
  const key = name.trim()
  return { ...earlier, [key]: [...(earlier[key] ?? []), value.trim()] }
}

/** "throughput" or "responsive=20" */
export function parseGoal(text: string): 'throughput' | { responsive: number } {
  if (text === 'throughput') return text
  const responsive = Number(/^responsive=(.+)$/.exec(text)?.[1])
  if (!(responsive > 0))
    throw new InvalidArgumentError('It must be "throughput" or "responsive=MS", such as responsive=20.')
  return { responsive }
}
