// Writes an error: what its class, name, message and stack are, and all its own fields, hidden ones too.
//
//   ERROR  text base  text name  text message  text stack  u8 flags  [text class, [value of toData()]]  u32 fields (text key, u8, value)*
//
// What of a field cannot travel is replaced by its text, leaf by leaf (prune.ts): it must not hide the error.

import type { RegisteredClass } from '../../task/register-class.js'
import { baseOf } from '../kinds/error-classes.js'
import { fieldsOf, textsOf, type ErrorField } from '../kinds/error-parts.js'
import { prune } from './prune.js'
import type { Output } from './output.js'
import * as tag from './tags.js'

export const HAS_CLASS = 1
export const HAS_DATA = 2
/** Of a field. */
export const IS_SHOWN = 1

export interface ErrorOptions {
  readonly depth: number
  readonly registered: RegisteredClass | undefined
}

export function writeError(out: Output, error: Error, options: ErrorOptions): void {
  prune(out, () => putError(out, error, options))
}

function putError(out: Output, error: Error, { depth, registered }: ErrorOptions): void {
  const data = registered?.toData && dataOf(registered, error)
  const hasClass = registered !== undefined && (registered.toData === undefined || data !== undefined)
  const texts = textsOf(error)
  out.putTag(tag.ERROR)
  out.putString(baseOf(error))
  for (const key of ['name', 'message', 'stack'] as const)
    out.putString(typeof texts[key] === 'string' ? texts[key] : key === 'name' ? 'Error' : '')
  out.putTag((hasClass ? HAS_CLASS : 0) | (data ? HAS_DATA : 0))
  if (hasClass) out.putString(registered.name)
  if (data) {
    out.making.push({ instance: error, name: registered.name })
    out.writers.put(out, data.value, depth + 1)
    out.making.pop()
  }
  putFields(out, fieldsOf(error, registered !== undefined, texts), depth)
}

/** Undefined: toData() has thrown. */
function dataOf({ toData }: RegisteredClass, error: Error): { readonly value: unknown } | undefined {
  try {
    return { value: toData!(error) }
  } catch {
    return undefined
  }
}

function putFields(out: Output, fields: readonly ErrorField[], depth: number): void {
  out.ensure(0)
  out.view.setUint32(out.at, fields.length, true)
  out.at += 4
  for (const { key, value, isShown } of fields) {
    out.putString(key)
    out.ensure(0)
    out.putTag(isShown ? IS_SHOWN : 0)
    out.writers.put(out, value, depth + 1)
  }
}
