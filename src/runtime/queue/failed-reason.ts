// Why a job has failed, as one text: a line for people, which dashboards show, and below it what was thrown, whole.

import { describe } from '../../errors/errors.js'
import { readText, writeText } from '../wire/as-text.js'
import { isError } from '../../primitives/any-realm.js'
import { asThrown } from '../wire/thrown.js'

const MARK = '\nthreadwise:'

/** Never throws, whatever was thrown. */
export function failedReason(thrown: unknown): string {
  return `${lineOf(thrown)}${MARK}${encoded(thrown)}`
}

/** What was thrown. Of a job that somebody else has failed, by hand for instance, an error with that text. */
export function readFailedReason(reason: string): unknown {
  const at = reason.lastIndexOf(MARK)
  if (at < 0) return new Error(reason)
  try {
    return readText(reason.slice(at + MARK.length))
  } catch (cause) {
    return new Error(reason.slice(0, at), { cause })
  }
}

/** For people. */
export function lineOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !isError(thrown)) return describe(thrown)
  const { name, message, code } = thrown as Error & { code?: unknown }
  return `${name}: ${message}${typeof code === 'string' ? ` [${code}]` : ''}`
}

function encoded(thrown: unknown): string {
  try {
    return writeText(asThrown(thrown))
  } catch {
    return writeText(describe(thrown))
  }
}
