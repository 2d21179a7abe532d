import statusError from 'status-errors'
import { spin } from '../spin.cjs'
import { BadRow, notAllowed, OutOfStock, TOO_LARGE } from './errors.mjs'

export function reserve(cart) {
  spin(cart.count)
  if (cart.count > 10) throw new OutOfStock(cart.sku)
  return { reserved: cart.count }
}

export function paid(user) {
  spin(user.used)
  if (user.used > 5) throw statusError(402, 'pay first')
  return { left: 5 - user.used }
}

export function fits(rows) {
  spin(rows.length)
  if (rows.length > 5) throw TOO_LARGE
  return { rows: rows.length }
}

export async function allowed(user) {
  spin(user.used)
  return user.used > 5 ? Promise.reject(notAllowed('user')) : { used: user.used }
}

function rowOf(text) {
  if (!text.includes('=')) throw new BadRow(`no value in ${text}`)
  return text.split('=')
}

export function parsed(lines) {
  spin(lines.length)
  return Object.fromEntries(lines.map(rowOf))
}

export function limited(count) {
  spin(count)
  if (count > 5) throw Object.assign(new RangeError('at most 5'), { status: 413 })
  return { count }
}
