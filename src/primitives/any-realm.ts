// What a value is, whichever realm has made it. `instanceof` asks the class that this realm has under a name: Jest, node:vm, jsdom and frames have
// classes of their own, and libraries put others in their place, such as promises.

import { types } from 'node:util'
import { builtInName } from './platform-class.js'

/** The engine has made it as an error, or its class extends one. False for a proxy that throws. */
export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null) return false
  try {
    return types.isNativeError(value) || isBelowError(value)
  } catch {
    return false
  }
}

function isBelowError(value: object): boolean {
  let at = Object.getPrototypeOf(value) as object | null
  for (; at !== null; at = Object.getPrototypeOf(at) as object | null)
    if (at === Error.prototype || builtInName(at) === 'Error') return true
  return false
}

/** Also a Buffer. */
export function isBytes(value: unknown): value is Uint8Array {
  return types.isUint8Array(value)
}

export function isSharedMemory(value: unknown): value is SharedArrayBuffer {
  return types.isSharedArrayBuffer(value)
}

/** Also what webpack and jsdom put in the place of the class: Node's own functions take any of them. */
export function isUrl(value: unknown): value is URL {
  return typeof value === 'object' && value !== null && typeof (value as URL).href === 'string'
}
