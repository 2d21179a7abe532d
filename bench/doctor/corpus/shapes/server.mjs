import { serve } from '../serve.cjs'
import { api, convert, Tax } from './index.mjs'
import reports from './reports.js'

serve({
  '/monthly': (query, n) => reports.monthly(n % 12),
  '/yearly': (query, n) => reports.yearly(2000 + (n % 12)),
  '/daily': (query, n) => reports.daily(n % 30),
  '/gross': (query, n) => Tax.gross(n % 2 ? 'DE' : 'FR', n % 9),
  '/render': (query, n) => api.render('Rows', [1, 2, n % 9]),
  '/table': (query, n) => api.table([n % 9]),
  '/convert': (query, n) => convert(n % 9),
})
