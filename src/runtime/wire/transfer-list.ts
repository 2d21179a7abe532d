// What a transfer list must not hold. Up to Node 20 postMessage takes a buffer that was moved before, and sends what nobody can read:
// the other side would lose all that it has. Later versions refuse it, as this does.

import { types } from 'node:util'
import { isDetached } from './kinds/views.js'

/** @throws DataCloneError */
export function checkTransfer(list: readonly unknown[] | undefined): void {
  if (list === undefined) return
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    if (types.isArrayBuffer(item) && isDetached(item))
      throw new DOMException('An ArrayBuffer in the transfer list was moved before', 'DataCloneError')
  }
}
