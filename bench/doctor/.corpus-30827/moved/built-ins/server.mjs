import { serve } from '../serve.cjs'
import './patches.mjs'
import { keysOf, replaced, summed, written } from './work.mjs'

serve({
  '/written': (query, n) => written({ id: n % 9, ...(query.rare && { big: 5n, at: new Date(7) }) }),
  '/keys': (query, n) => keysOf({ a: n % 9, ...(query.rare && { isWide: true }) }),
  '/replaced': (query, n) => replaced(query.rare ? `rare ${n % 3}` : `text ${n % 3}`),
  '/summed': async (query, n) => (await summed([1, 2, n % 9])),
})
