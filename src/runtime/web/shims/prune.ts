// Shim for wire/codec/prune.ts.

import { Pruned } from './copy-value.js'

/** Whatever was thrown, to be copied without what cannot travel: each such leaf becomes its text. */
export class Pruning {
  prune(value: unknown): unknown {
    return typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol'
      ? new Pruned(value)
      : value
  }
}
