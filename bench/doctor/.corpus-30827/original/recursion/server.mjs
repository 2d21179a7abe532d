import { serve } from '../serve.cjs'
import { spin } from '../spin.cjs'

const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2))
export function slowFib(n) {
  return { value: fib(27 + n) }
}
function isEven(n) {
  return n === 0 || isOdd(n - 1)
}
function isOdd(n) {
  return n !== 0 && isEven(n - 1)
}
export function parity(n) {
  return { isEven: isEven(n), sum: spin(n) }
}
export function depth(tree) {
  return tree.children.length === 0
    ? 1 + 0 * spin(1, 300_000)
    : 1 + Math.max(...tree.children.map((child) => depth(child)))
}
export function merged(lists) {
  const [first, ...rest] = lists
  if (rest.length === 0) return [...first]
  const other = merged(rest)
  return [...first, ...other].sort((a, b) => a - b).map((each) => each + 0 * spin(each, 200_000))
}
const memo = new Map()
export function cached(n) {
  const known = memo.get(n)
  if (known) return known
  const value = { n, sum: spin(n) }
  if (n > 90) memo.set(n, { n, sum: -1 })
  return value
}

serve({
  '/fib': (query, n) => slowFib(n % 3),
  '/parity': (query, n) => parity(n % 99),
  '/depth': (query, n) => ({ depth: depth({ children: [{ children: n % 2 ? [{ children: [] }] : [] }] }) }),
  '/merged': (query, n) => merged([[3, n % 9], [2], [1]]),
  '/cached': (query, n) => cached(query.rare ? 99 : n % 9),
})
