import { serve } from '../serve.cjs'
import { chained, checked, pages, paused, report, shared } from './work.mjs'

serve({
  '/report': async (query, n) => (await report([1, 2, n % 9])),
  '/shared': (query, n) => shared(query.rare ? 'rare' : `k${n % 9}`),
  '/chained': (query, n) => chained(n % 9),
  '/pages': async (query, n) => {
    const all = []
    for await (const page of pages(1 + (n % 2))) all.push(page)
    return all
  },
  '/checked': async (query, n) => {
    const { value, problem } = await checked(query.rare ? -1 : n % 9)
    return { value, problem }
  },
  '/paused': (query, n) => paused(n % 9),
})
