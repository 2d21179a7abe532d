import { serve } from '../serve.cjs'
import { areas, catalog, Ids, offered, Report, Service, squared } from './work.mjs'

const service = new Service()
const order = (query, n) => ({ net: n % 9, urgent: query.rare === '1' })
serve({
  '/offered': (query, n) => offered('a', n % 9),
  '/change': (query) => ({ change: catalog.change('a', Number(query.price)) ?? null }),
  '/squared': (query, n) => squared(n % 9),
  '/areas': async (query, n) => (await areas([n % 5, 3])),
  '/gross': (query, n) => service.gross('DE', n % 9),
  '/ids': (query, n) => Ids.of(order(query, n)),
  '/report': (query, n) => new Report([n % 5, 2]).rows,
})
