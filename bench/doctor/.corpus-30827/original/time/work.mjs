import { randomUUID } from 'node:crypto'
import { nonce, sheet, sign } from 'signed'
import { spin } from '../spin.cjs'

const now = Date.now
const BOOT = Date.now()

export function signed(claims, key) {
  return { token: sign(claims, key), sum: spin(claims.sub.length) }
}

export function exported(rows) {
  spin(rows.length)
  return sheet(rows)
}

export function named(order) {
  return { id: randomUUID(), net: order.net, sum: spin(order.net) }
}

export function late(order) {
  return { isLate: order.due > 0 && order.due < now(), sum: spin(order.net) }
}

export function sinceStart(order) {
  return { age: order.at - BOOT, sum: spin(order.net) }
}

export function guarded(order) {
  return { nonce: order.urgent ? nonce() : '', sum: spin(order.net) }
}

export function dayOf(ms) {
  return { day: new Date(ms).toISOString().slice(0, 10), sum: spin(ms % 7) }
}
