import { callCount } from '@shop/core'
import { serve } from '../serve.cjs'
import { capped, filed, normed, sized, tallied, taxed } from './work.js'

serve({
  '/capped': (query, n) => capped([n % 4, 2]),
  '/normed': async (query, n) => (await normed([1 + (n % 4), 2])),
  '/tallied': (query, n) => tallied(n % 9),
  '/sized': async (query, n) => (await sized(`text ${n % 9}`)),
  '/taxed': async (query, n) => (await taxed({ net: n % 9, country: n % 2 ? 'DE' : 'FR' })),
  '/filed': async (query, n) => (await filed(`text ${n % 9}`)),
  '/calls': () => ({ any: callCount() > 0 }),
})
