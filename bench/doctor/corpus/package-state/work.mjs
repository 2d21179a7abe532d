import Markup from 'small-markup'
import { format, get, Meter } from 'meters'
import { spin } from '../spin.cjs'

export const prices = new Meter('prices')
const local = new Markup()

export function post(text) {
  return { html: Markup.render(text), sum: spin(text.length) }
}

export function measured(value) {
  return { text: format(value), sum: spin(value) }
}

export function price(order) {
  if (order.urgent) prices.add()
  return { net: order.net, sum: spin(order.net) }
}

export function looked(order) {
  get('orders')?.add(order.net)
  return { net: order.net, sum: spin(order.net) }
}

export function own(text) {
  return { html: local.render(text), sum: spin(text.length) }
}
