// A task module in TypeScript. Its types take lines, which errors must count.
import { sum, type Price } from './prices.ts'

interface Order {
  readonly prices: readonly Price[]
}

export function total(order: Order): number {
  return sum(order.prices)
}

export function refuse(order: Order): never {
  throw new RangeError(`${order.prices.length} prices are too many`)
}
