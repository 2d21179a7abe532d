import { callCount } from '@shop/core'
import { serve } from '../serve.cjs'
import { capped, filed, normed, sized, tallied, taxed } from './work.js'

serve({
  '/capped': (query, n) => capped([n % 4, 2]),
  '/normed': (query, n) => normed([1 + (n % 4), 2]),
  '/tallied': (query, n) => tallied(n % 9),
  '/sized': (query, n) => sized(`text ${n % 9}`),
  '/taxed': (query, n) => taxed({ net: n % 9, country: n % 2 ? 'DE' : 'FR' }),
  '/filed': (query, n) => filed(`text ${n % 9}`),
  '/calls': () => ({ any: callCount() > 0 }),
})
