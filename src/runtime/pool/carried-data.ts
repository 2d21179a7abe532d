// The workerData of a pool, as it travels to each of its workers: written once, when the pool is made.

import { ThreadwiseError } from '../../errors/errors.js'
import type { ExecutorKind } from '../executor/stats.js'
import type { Carrier } from '../wire/codec/output.js'
import { BY_MESSAGE, BY_PIPE, carry, type Carried } from '../wire/codec/packet.js'
import { problemText } from '../wire/not-cloneable.js'

export interface CarriedData {
  /** To threads; to processes. */
  readonly ofMessage: Carried
  readonly ofPipe: Carried
}

/** @throws TW_ERR_INVALID_OPTION, which names the part that cannot be copied */
export function carryData(kind: ExecutorKind, value: unknown): CarriedData {
  return kind === 'processes'
    ? { ofMessage: undefined, ofPipe: carriedBy(BY_PIPE, value) }
    : { ofMessage: carriedBy(BY_MESSAGE, value), ofPipe: undefined }
}

function carriedBy(carrier: Carrier, value: unknown): Carried {
  try {
    return carry(value, { carrier }).carried
  } catch (error) {
    const expected = `what can be copied to a worker (${problemText('workerData', error)})`
    throw new ThreadwiseError('TW_ERR_INVALID_OPTION', { option: 'workerData', expected, received: value })
  }
}
