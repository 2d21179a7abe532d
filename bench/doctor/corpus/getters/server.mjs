import { serve } from '../serve.cjs'
import { capped, moded, numbered, setMode, sized, titled } from './work.mjs'

serve({
  '/capped': (query, n) => capped([n, 3]),
  '/numbered': (query, n) => numbered({ net: n % 9, urgent: query.rare === '1' }),
  '/moded': (query, n) => moded(`t${n % 9}`),
  '/mode': (query) => ({ mode: setMode(query.mode) ?? null }),
  '/sized': (query, n) => sized(`${n % 9}`),
  '/titled': (query, n) => titled(`t${n % 9}`),
})
