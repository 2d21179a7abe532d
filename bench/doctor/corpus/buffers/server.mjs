import { serve } from '../serve.cjs'
import { copied, listed, mapped, packed, viewed } from './work.mjs'

const order = (query, n) => ({ net: n % 9, urgent: query.urgent === '1' })
serve({
  '/viewed': (query, n) => viewed(order(query, n)),
  '/copied': (query, n) => copied(order(query, n)),
  '/listed': (query, n) => {
    const given = order(query, n)
    const { net } = listed(given)
    return { net, isListed: given.isListed ?? false }
  },
  '/mapped': (query, n) => mapped(Uint8Array.of(n % 256, 3)),
  '/packed': (query, n) => packed(order(query, n)),
})
