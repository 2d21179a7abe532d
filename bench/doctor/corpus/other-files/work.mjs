import { spin } from '../spin.cjs'
import { blocked, frozen, options, prices } from './data.mjs'

export const priced = (sku, net) => ({ price: prices.get(sku), sum: spin(net) })
export const shown = (net) => ({ text: `${net} ${options.currency}`, sum: spin(net) })
export const isAllowed = (word) => ({ isAllowed: !blocked.includes(word), sum: spin(word.length) })
export const sizeOf = (kind) => ({ size: frozen[kind], sum: spin(kind.length) })
