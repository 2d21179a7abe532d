// Writes an error: what its class, name, message and stack are, and all its own fields, hidden ones too.
//
//   ERROR  text base  text name  text message  text stack  u8 flags  [text class, [value of toData()]]  u32 fields (text key, u8, value)*
//
// What of a field cannot travel is replaced by its text, leaf by leaf (prune.ts): it must not hide the error.

import type { RegisteredClass } from '../../task/register-class.js'
import { baseOf, fieldsOf, readField, type Field } from './error-parts.js'
import { Pruning } from './prune.js'
import type { Output } from './output.js'
import * as tag from './tags.js'

export const HAS_CLASS = 1
export const HAS_DATA = 2
/** Of a field. */
export const IS_SHOWN = 1

export interface ErrorOptions {
  readonly put: (value: unknown) => void
  readonly registered: RegisteredClass | undefined
}

export function writeError(out: Output, error: Error, { put, registered }: ErrorOptions): void {
  const pruning = pruningOf(out)
  if (!pruning.enter()) return put(pruning.textOf(error))
  try {
    const data = registered?.toData && pruning.dataOf(error, registered)
    const hasClass = registered !== undefined && (registered.toData === undefined || data !== undefined)
    out.putTag(tag.ERROR)
    out.putString(baseOf(error))
    for (const [key, fallback] of [['name', 'Error'], ['message', ''], ['stack', '']] as const) out.putString(textOr(readField(error, key), fallback)) // prettier-ignore
    out.putTag((hasClass ? HAS_CLASS : 0) | (data ? HAS_DATA : 0))
    if (hasClass) out.putString(registered.name)
    if (data) put(data.value)
    putFields(out, fieldsOf(error, registered !== undefined), put)
  } finally {
    pruning.leave()
  }
}

function pruningOf(out: Output): Pruning {
  return (out.pruning ??= new Pruning(out.carrier, out.transfer)) as Pruning
}

function putFields(out: Output, fields: readonly Field[], put: (value: unknown) => void): void {
  out.ensure(0)
  out.view.setUint32(out.at, fields.length, true)
  out.at += 4
  for (const { key, value, isShown } of fields) {
    out.putString(key)
    out.ensure(0)
    out.putTag(isShown ? IS_SHOWN : 0)
    put(pruningOf(out).prune(value))
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback
}
