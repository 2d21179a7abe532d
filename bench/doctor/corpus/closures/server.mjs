import { serve } from '../serve.cjs'
import { boxed, cleaned, labelled, priceOf, squared } from './work.mjs'

serve({
  '/boxed': (query, n) => boxed(`t${n % 9}`),
  '/price': (query, n) => priceOf('a', n % 9),
  '/cleaned': (query, n) => cleaned(` t${n % 9} `),
  '/squared': (query, n) => squared(n % 3),
  '/labelled': (query, n) => labelled(query.rare ? 'rare' : `t${n % 9}`),
})
