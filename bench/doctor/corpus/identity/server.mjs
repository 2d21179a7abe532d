import { serve } from '../serve.cjs'
import {
  cents,
  clean,
  FREE,
  Money,
  nearest,
  NOTHING,
  priceOf,
  search,
  sealed,
  slugged,
  summary,
} from './work.mjs'

const points = Array.from({ length: 50 }, (_, index) => ({ x: (index * 37) % 101, visits: 0 }))
const products = [{ name: 'Red Chair', slug: 'red-chair' }, { name: 'Blue Table' }]
const words = ['apple', 'pear', 'plum']
const rows = (query, n) => [{ text: query.rare ? ` ${n}` : `row ${n % 5}` }, { text: 'b' }, { text: 'cd' }]
serve({
  '/nearest': (query, n) => {
    const point = nearest(points, n % 100)
    return { index: points.indexOf(point) }
  },
  '/clean': (query, n) => {
    const given = rows(query, n)
    const cleaned = clean(given)
    return { isSame: cleaned === given, cleaned }
  },
  '/search': (query) => {
    const found = search(words, query.rare ? 'zzz' : 'p')
    return { text: found === NOTHING ? 'nothing' : `${found.hits}` }
  },
  '/slugged': (query) => {
    const product = products[query.rare ? 1 : 0]
    const { slug } = slugged(product)
    return { slug, link: `/p/${product.slug}` }
  },
  '/price': (query, n) => priceOf(query.rare ? FREE : { name: 'basic' }, n % 9),
  '/sealed': (query, n) => ({ isFrozen: Object.isFrozen(sealed(n % 9)) }),
  '/cents': (query, n) => cents(query.rare ? new Money(5) : n % 9),
  '/summary': (query, n) => summary(rows(query, n)),
})
