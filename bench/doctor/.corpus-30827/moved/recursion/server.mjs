import { serve } from '../serve.cjs'
import { spin } from '../spin.cjs'

const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2))
export function slowFib(...args) { return globalThis.movedTasks.slowFib(...args) }
function isEven(n) {
  return n === 0 || isOdd(n - 1)
}
function isOdd(n) {
  return n !== 0 && isEven(n - 1)
}
export function parity(...args) { return globalThis.movedTasks.parity(...args) }
export function depth(...args) { return globalThis.movedTasks.depth2(...args) }
export function merged(...args) { return globalThis.movedTasks.merged2(...args) }
const memo = new Map()
export function cached(n) {
  const known = memo.get(n)
  if (known) return known
  const value = { n, sum: spin(n) }
  if (n > 90) memo.set(n, { n, sum: -1 })
  return value
}

serve({
  '/fib': async (query, n) => (await slowFib(n % 3)),
  '/parity': async (query, n) => (await parity(n % 99)),
  '/depth': async (query, n) => ({ depth: (await depth({ children: [{ children: n % 2 ? [{ children: [] }] : [] }] })) }),
  '/merged': async (query, n) => (await merged([[3, n % 9], [2], [1]])),
  '/cached': (query, n) => cached(query.rare ? 99 : n % 9),
})
