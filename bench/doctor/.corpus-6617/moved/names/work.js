import { area, table } from '#lib/barrel.js'
import { count, size } from '#lib/tally.js'
import { rates } from '@shop/api/rates'
import { cap, norm } from '@shop/core'
import { wrap } from 'local-file'
import { spin } from '../spin.cjs'

export function capped(values) {
  return { values: cap(values, 3), sum: spin(values[0]) }
}

export function normed(...args) { return globalThis.movedTasks.normed(...args) }

export function tallied(n) {
  return { n, isFirst: n > 90 && count() === 1, sum: spin(n) }
}

export function sized(...args) { return globalThis.movedTasks.sized(...args) }

export function taxed(...args) { return globalThis.movedTasks.taxed(...args) }

export function filed(...args) { return globalThis.movedTasks.filed(...args) }
