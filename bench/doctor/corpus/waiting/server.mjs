import { serve } from '../serve.cjs'
import { added, calm, looked, strict } from './work.mjs'

let total = 0
const seen = new Map()
async function tried(value) {
  try {
    return strict(value)
  } catch (error) {
    return { problem: error.message }
  }
}
serve({
  '/added': (query, n) => {
    const before = total
    const { value, sum } = added(n % 9)
    total = before + value
    return { sum }
  },
  '/looked': (query, n) => {
    const key = `k${n}`
    if (!seen.has(key)) seen.set(key, looked(key))
    return seen.get(key)
  },
  '/strict': (query, n) => tried(query.rare ? 99 : n % 9),
  '/calm': async (query, n) => {
    const result = calm(n % 9)
    return { ...result, n: n % 3 }
  },
})
