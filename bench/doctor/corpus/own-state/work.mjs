import { spin } from '../spin.cjs'

class Counter {
  #made = 0
  next() {
    return ++this.#made
  }
}
const tickets = new Counter()
export function ticket(order) {
  return { id: order.urgent ? tickets.next() : 0, sum: spin(order.net) }
}

function createLimit(max) {
  let used = 0
  return { take: () => ++used <= max, max }
}
const limit = createLimit(3)
export function quota(order) {
  return { isFree: order.urgent ? limit.take() : true, sum: spin(order.net) }
}

function* numbers() {
  for (let next = 1; ; next++) yield next
}
const stream = numbers()
export function token(order) {
  return { token: order.urgent ? stream.next().value : 'none', sum: spin(order.net) }
}

const URGENT = /urgent|now/g
export function matches(text) {
  return { isUrgent: URGENT.test(text), sum: spin(text.length) }
}

const PLAN = { name: 'basic' }
const uses = new WeakMap([[PLAN, { count: 0 }]])
export function used(order) {
  if (order.urgent) uses.get(PLAN).count++
  return { count: order.urgent ? uses.get(PLAN).count : 0, sum: spin(order.net) }
}

class Rates {
  static of(country) {
    if (country === 'AT') Rates.asked = (Rates.asked ?? 0) + 1
    return country === 'AT' ? Rates.asked : 0.19
  }
}
export function rated(country, net) {
  return { rate: Rates.of(country), sum: spin(net) }
}

export const counted = function self(order) {
  if (order.urgent) self.calls = (self.calls ?? 0) + 1
  return { calls: order.urgent ? self.calls : 0, sum: spin(order.net) }
}

export function plain(order) {
  class Sum {
    total = 0
    add(value) {
      this.total += value
      return this
    }
  }
  return { total: new Sum().add(order.net).add(1).total, sum: spin(order.net) }
}
