// threadwise beside other worker pools, on the same functions, with two workers: each pool in a fresh process, round by
// round in turn, medians of the rounds, and how many times the best of the others threadwise is.
//
//   npm install --prefix bench/pools        the other pools; without them only raw worker threads are measured beside
//   node bench/pools.mjs [--rounds 3] [--pools threadwise,raw,piscina]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const isInstalled = (name) => existsSync(here(`pools/node_modules/${name}`))
const others = ['piscina', 'tinypool', 'poolifier', 'workerpool']

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, pools: { type: 'string' } },
})
const pools = values.pools?.split(',') ?? ['threadwise', 'by message', 'raw', ...others.filter(isInstalled)]
const runs = Object.fromEntries(pools.map((pool) => [pool, []]))

for (let round = 1; round <= Number(values.rounds); round++) {
  for (const pool of pools) {
    console.error(`round ${round} of ${values.rounds}: ${pool}`)
    const { stdout, stderr } = spawnSync(process.execPath, [here('pools/measure-pool.mjs'), pool], {
      encoding: 'utf8',
    })
    const line = stdout.split('\n').find((text) => text.startsWith('{'))
    if (line) runs[pool].push(JSON.parse(line))
    else
      console.error(
        `  failed: ${stderr.split('\n').find((text) => text.includes('Error')) ?? stderr.slice(-300)}`,
      )
  }
}

const measured = pools.filter((pool) => runs[pool].length > 0)
const rows = Object.keys(runs[measured[0]][0]).map((title) => {
  const medians = measured.map((pool) => median(runs[pool].map((run) => run[title])))
  return [title, ...medians.map(short), ratio(title, medians)]
})
print([['', ...measured, 'over the best other'], ...rows])
console.log(
  `\nNode ${process.versions.node}, ${os.availableParallelism()} CPUs, ${os.cpus()[0]?.model ?? os.arch()}, 2 workers, ` +
    `median of ${values.rounds} rounds`,
)

function ratio(title, medians) {
  const own = medians[measured.indexOf('threadwise')]
  const foreign = medians.filter((_, i) => !['threadwise', 'by message'].includes(measured[i]))
  if (own === undefined || foreign.length === 0) return '-'
  const isTime = title.endsWith(', us')
  const best = isTime ? Math.min(...foreign) : Math.max(...foreign)
  return `${(isTime ? best / own : own / best).toFixed(1)}x`
}

function print(table) {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
  const line = (row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')
  for (const row of table) console.log(line(row))
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

function short(number) {
  if (number >= 1e6) return `${(number / 1e6).toFixed(2)} M`
  if (number >= 1e4) return `${Math.round(number / 1e3)} k`
  return number >= 100 ? String(Math.round(number)) : number.toFixed(number < 10 ? 2 : 1)
}
