import { serve } from '../serve.cjs'
import { dayOf, exported, guarded, late, named, signed, sinceStart } from './work.mjs'

serve({
  '/signed': (query, n) => ({ size: signed({ sub: `user ${n % 9}` }, 'key').token.length }),
  '/exported': (query, n) => ({
    size: exported([
      [1, n % 9],
      [3, 4],
    ]).length,
  }),
  '/named': (query, n) => ({ size: named({ net: n % 9 }).id.length }),
  '/late': (query, n) => late({ net: n % 9, due: query.rare ? 5 : 0 }),
  '/since': (query, n) => ({ isNumber: sinceStart({ net: n % 9, at: n }).age < 0 }),
  '/guarded': (query, n) => ({ size: guarded({ net: n % 9, urgent: query.rare }).nonce.length }),
  '/day': (query, n) => dayOf(n * 86_400_000),
})
