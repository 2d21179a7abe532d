// Shim for wire/codec/prune.ts.

export { Pruned } from './copy-value.js'
