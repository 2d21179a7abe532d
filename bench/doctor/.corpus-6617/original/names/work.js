import { area, table } from '#lib/barrel.js'
import { count, size } from '#lib/tally.js'
import { rates } from '@shop/api/rates'
import { cap, norm } from '@shop/core'
import { wrap } from 'local-file'
import { spin } from '../spin.cjs'

export function capped(values) {
  return { values: cap(values, 3), sum: spin(values[0]) }
}

export function normed(values) {
  return { values: norm(values), sum: spin(values[0]) }
}

export function tallied(n) {
  return { n, isFirst: n > 90 && count() === 1, sum: spin(n) }
}

export function sized(text) {
  return { size: size(text), sum: spin(text.length) }
}

export function taxed(order) {
  return {
    tax: order.net * (table[order.country] + rates.DE),
    area: area({ width: 2, height: order.net }),
    sum: spin(order.net),
  }
}

export function filed(text) {
  return { text: wrap(text), sum: spin(text.length) }
}
