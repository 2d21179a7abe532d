import { serve } from '../serve.cjs'
import { admin } from './admin.mjs'
import { isAllowed, priced, shown, sizeOf } from './work.mjs'

serve({
  '/priced': (query, n) => priced('a', n % 9),
  '/shown': (query, n) => shown(n % 9),
  '/allowed': (query, n) => isAllowed(query.rare ?? `w${n % 9}`),
  '/size': (query, n) => sizeOf(n % 2 ? 'small' : 'large'),
  '/admin': ({ act, ...rest }) => admin[act](rest),
})
