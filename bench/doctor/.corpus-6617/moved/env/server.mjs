import './start.mjs'
import { serve } from '../serve.cjs'
import { flagged, globalTitle, local, mode } from './work.mjs'

serve({
  '/mode': (query, n) => mode(`t${n % 9}`),
  '/flagged': (query, n) => flagged(`t${n % 9}`),
  '/flag': () => ({ flag: (process.env.FLAG = '1') }),
  '/title': (query, n) => globalTitle(`t${n % 9}`),
  '/local': async (query, n) => (await local(`t${n % 9}`)),
})
