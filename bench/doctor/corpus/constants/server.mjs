import { serve } from '../serve.cjs'
import { boxed, found, hashed, parsedOrder, priced, rendered, scaled, valid } from './work.mjs'

serve({
  '/scaled': (query, n) => scaled(n % 11),
  '/boxed': (query, n) => boxed(`t${n % 9}`),
  '/priced': (query, n) => priced(n * 7, n % 2 ? 'a' : 'b'),
  '/found': (query, n) => found(n % 3 ? `${n}-2` : 'a@b'),
  '/rendered': (query, n) => rendered(`*bold* #link ${n % 5} <i>`),
  '/valid': (query, n) => valid({ id: query.rare ? 'x' : n, name: 'row' }),
  '/order': (query, n) => parsedOrder({ id: query.rare ? 'x' : n, items: [{ sku: 'a', count: n }] }),
  '/hashed': (query, n) => hashed(`text ${n % 5}`),
})
