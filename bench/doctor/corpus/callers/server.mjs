import { EventEmitter } from 'node:events'
import { serve } from '../serve.cjs'
import { chart, described, doubled, isGood, masked, square, total, weight, worth } from './work.mjs'

const items = [10, 60, 90].map((price) => ({ price }))
class Cart {
  constructor(prices) {
    this.prices = prices
  }
  get total() {
    return total(this.prices)
  }
  toJSON() {
    return { cart: described({ price: this.prices[0] }) }
  }
}
const squares = (from) => ({
  [Symbol.iterator]() {
    let next = from
    return {
      next() {
        const value = square(next++)
        return { value, done: next > from + 2 }
      },
    }
  },
})
const bus = new EventEmitter()
bus.on('priced', (order) => {
  order.worth = worth(order.item)
})
const page = { toString: () => `${chart([1, 2, page.n])}`, n: 0 }

serve({
  '/good': () => items.filter(isGood).length,
  '/sorted': (query, n) =>
    items.map(({ price }) => ({ price: price + (n % 3) })).sort((a, b) => weight(a) - weight(b)),
  '/masked': (query, n) => JSON.stringify({ id: n % 5, card: '4111' }, masked),
  '/total': (query, n) => new Cart([n % 5, 2]).total,
  '/json': (query, n) => JSON.parse(JSON.stringify(new Cart([n % 5]))),
  '/squares': (query, n) => [...squares(n % 4)],
  '/page': (query, n) => {
    page.n = n % 5
    return `${page}`
  },
  '/worth': (query, n) => {
    const order = { item: { price: n % 9 } }
    bus.emit('priced', order)
    return { worth: order.worth }
  },
  '/doubled': async (query, n) => ({ value: await doubled(n % 9) }),
  '/doubles': (query, n) => [3, 1, n % 9].sort((a, b) => doubled(a) - doubled(b)),
})
