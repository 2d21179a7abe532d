import { serve } from '../serve.cjs'
import { counted, matches, plain, quota, rated, ticket, token, used } from './work.mjs'

const order = (query, n) => ({ net: n % 9, urgent: query.urgent === '1' })
serve({
  '/ticket': (query, n) => ticket(order(query, n)),
  '/quota': (query, n) => quota(order(query, n)),
  '/token': (query, n) => token(order(query, n)),
  '/matches': (query, n) => matches(query.urgent === '1' ? `urgent ${n % 3}` : `later ${n % 3}`),
  '/used': (query, n) => used(order(query, n)),
  '/rated': (query, n) => rated(query.urgent === '1' ? 'AT' : 'DE', n % 9),
  '/counted': (query, n) => counted(order(query, n)),
  '/plain': (query, n) => plain(order(query, n)),
})
