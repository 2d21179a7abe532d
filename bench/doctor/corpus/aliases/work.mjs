import { spin } from '../spin.cjs'
import { bump as count, tools } from './tools.mjs'

const PLANS = [
  { id: 'a', price: 3, used: 0 },
  { id: 'b', price: 5, used: 0 },
]
const SHARED = { stats: { reads: 0 }, limit: 3 }
const READS = Symbol('reads')
const TABLE = { name: 'table', [READS]: 0 }
const SLOTS = new Map([['a', { hits: 0 }]])
const STORE = { last: 'none' }
const sum = (order) => spin(order.net)

export function byHelper(order) {
  const plan = PLANS.find(({ id }) => id === 'a')
  if (order.urgent) count(plan)
  return { price: plan.price, used: order.urgent ? plan.used : 0, sum: sum(order) }
}

export function byPattern(order) {
  const { stats } = SHARED
  if (order.urgent) stats.reads++
  return { reads: order.urgent ? stats.reads : 0, sum: sum(order) }
}

export function bySymbol(order) {
  if (order.urgent) TABLE[READS] += 1
  return { reads: order.urgent ? TABLE[READS] : 0, sum: sum(order) }
}

export function byEntries(order) {
  for (const [, slot] of SLOTS) if (order.urgent) slot.hits++
  return { hits: order.urgent ? SLOTS.get('a').hits : 0, sum: sum(order) }
}

export function byReflect(order) {
  if (order.urgent) Reflect.set(STORE, 'last', `order ${order.net}`)
  return { last: order.urgent ? STORE.last : '', sum: sum(order) }
}

export function byCallback(rows) {
  rows.filter(({ urgent }) => urgent).forEach(tools.mark)
  return { rows: rows.length, sum: spin(rows.length) }
}

export function byName(rows) {
  const marked = rows.map((row) => ({ ...row, size: tools.measure(row) }))
  marked.forEach((row) => tools.mark(row))
  return { sizes: marked.map(({ size, marked }) => size + Number(marked)), sum: spin(rows.length) }
}
