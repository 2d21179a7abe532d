// A value as text of letters and digits (base64), for what carries nothing but text and may be read much later: a store of jobs.

import type { ValueOrigin } from './codec/input.js'
import type { Carrier } from './codec/output.js'
import { readValue } from './codec/read-value.js'
import { writeValue } from './codec/write-value.js'

/** Nothing goes beside the bytes. */
export const AS_TEXT: Carrier = { objects: false, besideFrom: Infinity, isOwned: true }

/** @throws NotSendable */
export function writeText(value: unknown): string {
  return writeValue(value, { carrier: AS_TEXT }, (out, length) => out.bytes.toString('base64', 0, length))
}

/** @throws Malformed, and with `origin` TW_ERR_CLASS_NOT_REGISTERED and TW_ERR_NOT_CLONEABLE: see packet.ts */
export function readText(text: string, origin?: ValueOrigin): unknown {
  const bytes = Buffer.from(text, 'base64')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return readValue({ bytes, view }, { from: 0, to: bytes.byteLength }, [], origin)
}
