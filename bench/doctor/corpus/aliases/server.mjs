import { serve } from '../serve.cjs'
import { byCallback, byEntries, byHelper, byName, byPattern, byReflect, bySymbol } from './work.mjs'

const order = (query, n) => ({ net: n % 9, urgent: query.urgent === '1' })
const rows = (query, n) => [
  { name: `row ${n % 5}`, urgent: query.urgent === '1' },
  { name: 'other', urgent: false },
]
const marked = (list) => ({ ...byCallback(list), isMarked: list.map((row) => row.marked ?? false) })
serve({
  '/byHelper': (query, n) => byHelper(order(query, n)),
  '/byPattern': (query, n) => byPattern(order(query, n)),
  '/bySymbol': (query, n) => bySymbol(order(query, n)),
  '/byEntries': (query, n) => byEntries(order(query, n)),
  '/byReflect': (query, n) => byReflect(order(query, n)),
  '/byCallback': (query, n) => marked(rows(query, n)),
  '/byName': (query, n) => byName(rows(query, n)),
})
