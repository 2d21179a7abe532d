const { serve } = require('../serve.cjs')
const work = require('./work')

serve({
  '/gross': (query, n) => work.gross(query.rare ? 'AT' : 'DE', n % 9),
  '/rate': (query) => {
    require('./rates').rates.AT = Number(query.rate)
    return { ok: true }
  },
  '/page': (query, n) => work.page(`title ${n % 5}`),
  '/titles': () => {
    require('./render').title = (text) => text.toLowerCase()
    return { ok: true }
  },
  '/steady': (query, n) => work.steady(`title ${n % 5}`),
  '/own': (query, n) => work.own(query.rare ? 'rare' : `title ${n % 5}`),
})
