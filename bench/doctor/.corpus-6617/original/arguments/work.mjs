import { spin } from '../spin.cjs'

const TOTAL = Symbol('total')
export const marked = (cart) => Object.assign(cart, { [TOTAL]: 7 })
export function totalOf(cart) {
  return { total: cart[TOTAL] ?? cart.net, sum: spin(cart.net) }
}
export function shown(value) {
  return { text: typeof value.toText === 'function' ? value.toText() : `${value.net}`, sum: spin(3) }
}
export function walked(rows, { onRow } = {}) {
  for (const row of rows) onRow?.(row)
  return { rows: rows.length, sum: spin(rows.length) }
}
export function updated(order) {
  if (order.urgent) order.seenAt = 1
  return { net: order.net, sum: spin(order.net) }
}
export function sorted(values) {
  return { values: [...values].sort((a, b) => a - b), sum: spin(values.length) }
}
export function ordered(values) {
  return { first: values.sort((a, b) => a - b)[0], sum: spin(values.length) }
}
