const { serve } = require('../serve.cjs')
const { card, sums, label, pair, mixed, counted, keyed, none } = require('./work.cjs')

serve({
  '/card': (query, n) => card({ title: `T${n % 4}`, price: n % 5 || undefined, tags: ['a', 'b'] }),
  '/sums': (query, n) => sums(2, n % 4, 5, 7),
  '/label': (query, n) => (n % 2 ? label(`abc${n % 4}`, { upper: true }) : label(`abc${n % 4}`)),
  '/pair': (query, n) => pair([n % 3, [n % 2], 7, 8], n % 2 ? 'odd' : undefined),
  '/mixed': (query, n) => mixed({ id: n % 5, a: 1, b: 2 }, ['x']),
  '/counted': (query, n) => counted(n % 5),
  '/keyed': (query, n) => keyed({ name: `n${n % 5}`, ...(n % 2 && { 2: 'zwei' }) }),
  '/none': () => none(),
})
