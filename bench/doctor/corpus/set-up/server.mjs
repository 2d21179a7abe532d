import { serve } from '../serve.cjs'
import { tiers } from './config.mjs'
import { fees } from './fees.mjs'
import './plugins.mjs'
import { discounted, format, gross, label, score, withFee } from './work.mjs'

serve({
  '/gross': (query, n) => gross({ country: query.country ?? 'DE', net: 100 + (n % 7) }),
  '/discounted': (query, n) => discounted({ tier: query.tier ?? 'plain', net: 100 + (n % 7) }),
  '/tiers': (query) => {
    const { gold } = tiers
    gold.discount = Number(query.gold)
    return { ok: true }
  },
  '/format': (query, n) => format(`word ${n % 5}`, query.kind ?? 'text'),
  '/score': (query, n) => score({ value: n % 9, gold: query.gold === '1' }),
  '/fee': (query, n) => withFee(n % 11),
  '/fees': (query) => ({ fee: fees.set(Number(query.fee)) }),
  '/label': (query, n) => label(query.key ?? 'a', n % 13),
})
