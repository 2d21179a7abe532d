// A million rows on two threads: as objects, by map(), and as columns on shared memory, beside a loop in this thread.
//
//   node bench/columns.mjs [--rounds 9] [--rows 1000000]
//
// Lower quartiles of the rounds, which go by turns, without the first; and the least, for a machine that has something else to do.
import { parseArgs } from 'node:util'
import { threads } from 'threadwise'
import * as tasks from './columns-tasks.mjs'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, rows: { type: 'string', default: '1000000' } },
})
const count = Number(flags.rows)
const pool = threads(new URL('./columns-tasks.mjs', import.meta.url), { size: 2, name: 'columns' })
await pool.ready

const column = () => new Float64Array(new SharedArrayBuffer(8 * count))
const columns = { price: column(), quantity: column(), value: column() }
const rows = Array.from({ length: count }, (_, i) => ({ price: 1 + (i % 1000), quantity: i % 77 }))
rows.forEach(({ price, quantity }, i) => ([columns.price[i], columns.quantity[i]] = [price, quantity]))
const parts = 8
const ranges = Array.from({ length: parts }, (_, i) => ({
  ...columns,
  from: Math.floor((i * count) / parts),
  to: Math.floor(((i + 1) * count) / parts),
}))

const ways = {
  'rows here': () => rows.map(tasks.valueOf),
  'rows by map()': () => pool.map('valueOf', rows),
  'columns here': () => tasks.valuesOf({ ...columns, from: 0, to: count }),
  'columns by map()': () => pool.map('valuesOf', ranges),
}
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
for (let round = 0; round <= Number(flags.rounds); round++)
  for (const [name, run] of Object.entries(ways)) {
    const started = performance.now()
    await run()
    if (round > 0) times[name].push(performance.now() - started)
  }
const expected = rows.map(tasks.valueOf)
if (expected.some((value, i) => value !== columns.value[i])) throw new Error('The columns hold other values.')
await pool.close()

for (const list of Object.values(times)) list.sort((a, b) => a - b)
const quartile = (name) => times[name][times[name].length >> 2]
const least = (name) => times[name][0]
console.log(`Node ${process.version}, ${count} rows, ${flags.rounds} rounds: lower quartile and least, in ms`)
for (const name of Object.keys(ways))
  console.log(name.padEnd(20), ...[quartile, least].map((of) => of(name).toFixed(1).padStart(8)))
const gain = (name, of) => (of(name) / of('columns by map()')).toFixed(2)
for (const name of ['columns here', 'rows here'])
  console.log(`columns by map(), times ${name}: ${gain(name, quartile)}, ${gain(name, least)}`)
