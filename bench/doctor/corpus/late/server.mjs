import { serve } from '../serve.cjs'
import { plain, scaled } from './work.mjs'

serve({
  '/scaled': (query, n) => scaled(n % 9),
  '/plain': (query, n) => plain(n % 9),
  '/imperial': async () => {
    await import('./imperial.mjs')
    return { ok: true }
  },
})
