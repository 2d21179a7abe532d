import { serve } from '../serve.cjs'
import { dayOf, exported, guarded, late, named, signed, sinceStart } from './work.mjs'

serve({
  '/signed': async (query, n) => ({ size: (await signed({ sub: `user ${n % 9}` }, 'key')).token.length }),
  '/exported': async (query, n) => ({
    size: (await exported([
      [1, n % 9],
      [3, 4],
    ])).length,
  }),
  '/named': async (query, n) => ({ size: (await named({ net: n % 9 })).id.length }),
  '/late': async (query, n) => (await late({ net: n % 9, due: query.rare ? 5 : 0 })),
  '/since': (query, n) => ({ isNumber: sinceStart({ net: n % 9, at: n }).age < 0 }),
  '/guarded': async (query, n) => ({ size: (await guarded({ net: n % 9, urgent: query.rare })).nonce.length }),
  '/day': async (query, n) => (await dayOf(n * 86_400_000)),
})
