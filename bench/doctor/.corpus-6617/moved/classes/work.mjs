import { spin } from '../spin.cjs'

class Catalog {
  #prices
  constructor(prices) {
    this.#prices = prices
  }
  priceOf(sku) {
    return this.#prices[sku] ?? 0
  }
  change(sku, price) {
    this.#prices[sku] = price
  }
}
export const catalog = new Catalog({ a: 3, b: 5 })

class Lazy {
  get table() {
    return (this.made ??= [1, 2, 3].map((value) => value * value))
  }
}
const lazy = new Lazy()

class Shape {
  constructor(side) {
    this.side = side
  }
  area() {
    return this.side * this.factor()
  }
  factor() {
    return 1
  }
}
class Square extends Shape {
  factor() {
    return this.side
  }
}

export class Service {
  rates = { DE: 0.19 }
  gross(country, net) {
    return { total: net * (1 + this.rates[country]), sum: spin(net) }
  }
}

export class Ids {
  static #last = 0
  static of(order) {
    const id = order.urgent ? ++Ids.#last : 0
    return { id, sum: spin(order.net) }
  }
}

export function offered(sku, net) {
  return { price: catalog.priceOf(sku), sum: spin(net) }
}
export function squared(net) {
  return { square: lazy.table[net % 3], sum: spin(net) }
}
export function areas(...args) { return globalThis.movedTasks.areas(...args) }
export class Report {
  constructor(rows) {
    this.rows = rows.map((row) => row + 0 * spin(row))
  }
}
