import { serve } from '../serve.cjs'
import { marked, ordered, shown, sorted, totalOf, updated, walked } from './work.mjs'

class Price {
  constructor(net) {
    this.net = net
  }
  toText() {
    return `price ${this.net}`
  }
}
serve({
  '/total': (query, n) => totalOf(query.rare ? marked({ net: n % 9 }) : { net: n % 9 }),
  '/shown': (query, n) => shown(query.rare ? new Price(n % 9) : { net: n % 9 }),
  '/walked': (query, n) => {
    const seen = []
    const told = walked([1, n % 9], query.rare ? { onRow: (row) => seen.push(row) } : {})
    return { ...told, seen: seen.length }
  },
  '/updated': (query, n) => {
    const order = { net: n % 9, urgent: query.rare === '1' }
    const { net } = updated(order)
    return { net, seenAt: order.seenAt ?? null }
  },
  '/sorted': (query, n) => sorted([3, n % 9, 1]),
  '/ordered': (query, n) => {
    const values = query.rare ? [3, 1, n % 9] : [1, 2, 10 + (n % 9)]
    const { first } = ordered(values)
    return { first, values }
  },
})
