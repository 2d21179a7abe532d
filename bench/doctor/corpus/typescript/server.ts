import { serve } from '../serve.cjs'
import { Kind, type Row } from './kinds.js'
import { numbered, scaled, Totals, weigh } from './work.js'

type Query = Record<string, string>
const row = (query: Query, n: number): Row => ({ id: n % 9, kind: query.rare ? Kind.Large : Kind.Small })
serve({
  '/weigh': (query: Query, n: number) => weigh([row(query, n), row(query, n + 1)]),
  '/scaled': (query: Query, n: number) => scaled(n % 9),
  '/totals': (query: Query, n: number) => Totals.of([row(query, n), row(query, n + 1)]),
  '/numbered': (query: Query, n: number) => numbered(row(query, n)),
})
