// threadwise in a browser beside comlink, workerpool and raw messages, on the same functions, with two workers each: all in one page of a
// Chromium, window by window in turn, medians, and how many times each of the others threadwise is.
//
//   npm install --prefix bench/web
//   node bench/web.mjs [--rounds 7]
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

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
const WINDOW_MS = 300
const object = { id: 7, name: 'Ada', tags: ['a', 'b'], at: { x: 1.5, y: -2 } }
const cases = {
  'no-op, 1000 open': { task: 'nothing', args: [], open: 1000, ms: WINDOW_MS },
  'no-op, 8 open': { task: 'nothing', args: [], open: 8, ms: WINDOW_MS },
  'no-op, 1 open': { task: 'nothing', args: [], open: 1, ms: WINDOW_MS },
  'small object, 64 open': { task: 'echo', args: [object], open: 64, ms: WINDOW_MS },
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
const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
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
  const measure = (name, one) => page.evaluate(([a, b]) => globalThis.bench.measure(a, b), [name, one])
  const rates = Object.fromEntries(
    Object.keys(cases).map((title) => [title, Object.fromEntries(names.map((name) => [name, []]))]),
  )
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [title, one] of Object.entries(cases))
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const rate = await measure(name, one)
        if (round > 0) rates[title][name].push(rate) // the first warms up
      }
  }
  const head = ['', ...names, ...names.slice(1).map((name) => `over ${name}`)]
  const rows = Object.entries(rates).map(([title, own]) => {
    const medians = names.map((name) => median(own[name]))
    return [
      title,
      ...medians.map(short),
      ...medians.slice(1).map((other) => `${(medians[0] / other).toFixed(1)}x`),
    ]
  })
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
  console.log(
    `\nChromium ${browser.version()}, ${os.availableParallelism()} CPUs, ${os.cpus()[0]?.model}, 2 workers, median of ${values.rounds} rounds`,
  )
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

function short(rate) {
  return rate >= 1000 ? `${(rate / 1000).toFixed(1)} k/s` : `${Math.round(rate)}/s`
}
