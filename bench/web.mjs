// threadwise in a browser beside comlink, workerpool and raw messages, on the same functions, with two workers each: all in one page, in turn, and
// medians. Of small calls it tells how many are made a second, of large values how long a call takes, and how long the page stands still for it.
//
//   npm install --prefix bench/web
//   node bench/web.mjs [--rounds 7] [--firefox]
//
// comlink has no pool, and calls its workers in turn.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import puppeteer from 'puppeteer-core'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, firefox: { type: 'boolean', default: false } },
})
const ROUNDS = Number(values.rounds)
const WINDOW_MS = 300
const object = { id: 7, name: 'Ada', tags: ['a', 'b'], at: { x: 1.5, y: -2 } }
const cases = {
  'no-op, 1000 open': { task: 'nothing', args: [], open: 1000, ms: WINDOW_MS },
  'no-op, 8 open': { task: 'nothing', args: [], open: 8, ms: WINDOW_MS },
  'no-op, 1 open': { task: 'nothing', args: [], open: 1, ms: WINDOW_MS },
  'small object, 64 open': { task: 'echo', args: [object], open: 64, ms: WINDOW_MS },
}

/** One at a time: what becomes of a value, and how large that is. */
const large = {
  '20,000 rows there': { what: 'rows there', count: 20_000 },
  '20,000 rows back': { what: 'rows back', count: 20_000 },
  '100,000 rows there': { what: 'rows there', count: 100_000 },
  '100,000 rows back': { what: 'rows back', count: 100_000 },
  '8 MB of text there': { what: 'text there', count: 8e6 },
  '8 MB of text there and back': { what: 'text there and back', count: 8e6 },
  'a picture of 1000 x 1000 there': { what: 'picture there', count: 1000 },
  '8 MB moved there': { what: 'bytes moved there', count: 8e6 },
}

const folder = mkdtempSync(join(os.tmpdir(), 'threadwise-bench-web-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
const here = (name) => fileURLToPath(new URL(`web/${name}`, import.meta.url))
const entries = ['page', ...['threadwise', 'comlink', 'workerpool', 'raw'].map((name) => `${name}.worker`)]
await build({
  entryPoints: entries.map((name) => here(`${name}.js`)),
  ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', outdir: folder, logLevel: 'error' },
  external: ['worker_threads', 'child_process', 'os'], // workerpool asks for them where it is in Node
})
writeFileSync(join(folder, 'index.html'), '<script type="module" src="page.js"></script>')

const server = createServer(({ url }, response) => {
  const name = url === '/' ? 'index.html' : url.slice(1)
  if (!/^[\w.]+$/.test(name) || name === 'favicon.ico') return void response.writeHead(404).end()
  response.setHeader('Content-Type', name.endsWith('.html') ? 'text/html' : 'text/javascript')
  response.end(readFileSync(join(folder, name)))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const pathOf = (name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()
const browser = values.firefox
  ? await puppeteer.launch({ browser: 'firefox', executablePath: pathOf('firefox-esr') || pathOf('firefox') })
  : await chromium.launch({ executablePath: pathOf('chromium'), args: ['--no-sandbox'] })
try {
  await run()
} finally {
  await browser.close()
  server.closeAllConnections()
  server.close()
}

async function run() {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  await page.waitForFunction(() => globalThis.bench)
  const names = await page.evaluate(() => globalThis.bench.names)
  const rates = await inTurn(cases, names, (name, one) =>
    page.evaluate(([a, b]) => globalThis.bench.measure(a, b), [name, one]),
  )
  console.log('Calls a second\n')
  tell(rates, names, rateText)
  const times = await inTurn(large, names, (name, one) =>
    page.evaluate(([a, b]) => globalThis.bench.time(a, b), [name, one]),
  )
  for (const [title, part] of [
    ['How long the page stands still', 'longest'],
    ['How long a call takes', 'took'],
  ]) {
    console.log(`\n${title}, milliseconds\n`)
    tell(partOf(times, part), names, (ms) => ms.toFixed(1))
  }
  const version = await browser.version()
  console.log(
    `\n${version}, ${os.availableParallelism()} CPUs, ${os.cpus()[0]?.model}, 2 workers, median of ${ROUNDS} rounds`,
  )
}

/** By case and by library what each round gave. */
async function inTurn(all, names, ask) {
  const told = Object.fromEntries(
    Object.keys(all).map((title) => [title, Object.fromEntries(names.map((name) => [name, []]))]),
  )
  for (let round = 0; round <= ROUNDS; round++)
    for (const [title, one] of Object.entries(all))
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const answer = await ask(name, one)
        if (round > 0) told[title][name].push(answer) // the first warms up
      }
  return told
}

function partOf(told, part) {
  const ofLibrary = (own) =>
    Object.fromEntries(Object.entries(own).map(([name, answers]) => [name, answers.map((one) => one[part])]))
  return Object.fromEntries(Object.entries(told).map(([title, own]) => [title, ofLibrary(own)]))
}

/** A table of medians, with how many times each of the others threadwise is. */
function tell(told, names, textOf) {
  const head = ['', ...names, ...names.slice(1).map((name) => `over ${name}`)]
  const rows = Object.entries(told).map(([title, own]) => {
    const medians = names.map((name) => median(own[name]))
    return [
      title,
      ...medians.map(textOf),
      ...medians.slice(1).map((other) => `${(medians[0] / other).toFixed(2)}x`),
    ]
  })
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

function rateText(rate) {
  return rate >= 1000 ? `${(rate / 1000).toFixed(1)} k/s` : `${Math.round(rate)}/s`
}
