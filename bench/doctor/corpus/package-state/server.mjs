import { serve } from '../serve.cjs'
import { orders } from './set-up.mjs'
import { looked, measured, own, post, price, prices } from './work.mjs'

const order = (query, n) => ({ net: 1 + (n % 9), urgent: query.urgent === '1' })
serve({
  '/post': (query, n) => post(query.urgent ? `<script>${n}</script>` : `text ${n % 5} <b>`),
  '/measured': (query, n) => measured(n % 9),
  '/price': (query, n) => price(order(query, n)),
  '/looked': (query, n) => looked(order(query, n)),
  '/own': (query, n) => own(`*bold* ${n % 5}`),
  '/meters': () => ({ prices: prices.value, orders: orders.value > 0 }),
})
