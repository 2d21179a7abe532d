import { spin } from '../spin.cjs'
import { config, formats, LABELS, tiers } from './config.mjs'
import { fees } from './fees.mjs'

export function gross(order) {
  return {
    total: Number((order.net * (1 + (config.vat[order.country] ?? 0))).toFixed(config.round)),
    sum: spin(order.net),
  }
}

export function discounted(order) {
  return { price: order.net * (1 - tiers[order.tier].discount), sum: spin(order.net) }
}

export function format(word, kind) {
  return { text: (formats[kind] ?? formats.text)(word), sum: spin(word.length) }
}

export function score(item) {
  return { score: item.value + (item.gold ? (score.bonus ?? 0) : 0), sum: spin(item.value) }
}

export function withFee(net) {
  return { total: fees.of(net), sum: spin(net) }
}

export function label(key, value) {
  return { text: `${LABELS[key] ?? key}: ${value}`, sum: spin(value) }
}
