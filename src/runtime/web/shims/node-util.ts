// In place of node:util.

import { isMadeBy, propertyOf } from '../../../primitives/platform-class.js'

const { isError } = Error as { isError?: (value: unknown) => boolean }
const tagOf = (value: unknown) => Object.prototype.toString.call(value)

const { SharedArrayBuffer: shared } = globalThis as { SharedArrayBuffer?: unknown }

export const types = {
  isArrayBuffer: (value: unknown): boolean => isMadeBy(ArrayBuffer, 'byteLength', value as object),
  isSharedArrayBuffer: (value: unknown): boolean =>
    typeof value === 'object' && value !== null && isMadeBy(shared, 'byteLength', value),
  isUint8Array: (value: unknown): boolean => tagOf(value) === '[object Uint8Array]',
  /** Older browsers tell it of an object that does not call itself anything. */
  isNativeError: (value: object): boolean =>
    isError?.(value) ?? (tagOf(value) === '[object Error]' && !propertyOf(value, Symbol.toStringTag)),
}
