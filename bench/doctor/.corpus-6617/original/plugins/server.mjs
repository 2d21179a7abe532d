import { serve } from '../serve.cjs'
import { register, rules, use } from './pipeline.mjs'
import { bare, filtered, piped, ruled } from './work.mjs'

const plugins = [
  (host) => host.use((text) => `<${text}>`),
  (host) => host.rules.set('star', (text) => `*${text}*`),
]
for (const plugin of plugins) plugin({ use, rules })
setTimeout(() => register('late', (text) => `${text} later`), 10)
serve({
  '/piped': (query, n) => piped(` text ${n % 5} `),
  '/ruled': (query, n) => ruled(` text ${n % 5} `, query.rare ? 'star' : 'trim'),
  '/filtered': (query, n) => filtered(`text ${n % 5}`, query.rare ? 'late' : 'upper'),
  '/bare': (query, n) => bare(`text ${n % 5}`),
})
