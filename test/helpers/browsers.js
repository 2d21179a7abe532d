// A browser with pages from a server of the test's own, on loopback.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import puppeteer from 'puppeteer-core'
import { createPageFiles } from './page-files.js'
import { findMiniBrowser, startWebKit } from './webkit.js'

/** Each with pages of the same interface, as far as tests use it. `skip`: why tests that need it are skipped; false: they run. */
const browsers = {
  chromium: browserOf({
    path: pathOf('chromium', 'chromium-browser', 'google-chrome'),
    install: 'apt-get install chromium',
    isRequired: true,
    // As root, as in most containers, it starts in no other way.
    launch: (executablePath) => chromium.launch({ executablePath, args: ['--no-sandbox'] }),
  }),
  firefox: browserOf({
    path: pathOf('firefox-esr', 'firefox'),
    install: 'apt-get install firefox-esr',
    isRequired: true,
    launch: (executablePath) => puppeteer.launch({ browser: 'firefox', executablePath }),
    pagesAtATime: 1, // no tab may open while one closes, and timers of those in the background are late
  }),
  webkit: browserOf({
    path: pathOf('WebKitWebDriver') && pathOf('xvfb-run') && findMiniBrowser(),
    install: 'apt-get install webkit2gtk-driver xvfb xauth',
    launch: startWebKit,
    pagesAtATime: 1, // a command goes to the page in front
  }),
}

function pathOf(...names) {
  return names
    .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
    .find((path) => path !== '')
}

function browserOf({ path, install, isRequired = false, launch, pagesAtATime = Infinity }) {
  const missing = `a browser is missing (${install})`
  if (!path && isRequired && process.env.CI) throw new Error(`${missing}, and CI must not skip`)
  return { skip: path ? false : missing, start: () => launch(path), pagesAtATime }
}

const wanted = process.env.THREADWISE_TEST_BROWSERS?.split(',') ?? Object.keys(browsers)

/** Runs `define` with what starts the browser. */
export function inBrowser(name, title, { concurrency: wished = 1 }, define) {
  const { skip, start, pagesAtATime } = browsers[name]
  const concurrency = Math.min(wished, pagesAtATime)
  describe(`${title} in ${name}`, { skip: skip || !wanted.includes(name), concurrency }, () =>
    define(start, { name }),
  )
}

export function inEachBrowser(title, define) {
  for (const name of wanted) inBrowser(name, title, {}, define)
}

export const withoutChromium = browsers.chromium.skip
export const startChromium = browsers.chromium.start

const fixtures = fileURLToPath(new URL('../fixtures/web/', import.meta.url))

/** The two headers with which a page is isolated, and may share memory with its workers. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** What the server says of a page, by the folder that it is asked for in. */
const HEADERS = {
  'isolated/': ISOLATION,
  'no-workers/': { 'Content-Security-Policy': "worker-src 'none'" },
  'trusted/': { 'Content-Security-Policy': "require-trusted-types-for 'script'; trusted-types tasks" },
}

/** Run first in a page and in its workers. */
const FIRST = {
  /** What browsers of some years ago lack. */
  'older/':
    'delete Error.captureStackTrace; delete (globalThis.Navigator ?? WorkerNavigator).prototype.locks\n',
  /** WebKit makes the time anew for each reader, and it goes back then. */
  'unsteady/': `{ // no names of the page's own
    const get = Object.getOwnPropertyDescriptor(Performance.prototype, 'timeOrigin').get.bind(performance)
    let reads = 0
    Object.defineProperty(performance, 'timeOrigin', { get: () => get() - 5 * (reads++ % 2) })
  }`,
}

/**
 * Bundles files of test/fixtures/web as a user would, and serves them; below /isolated/ with the headers of isolation, below /no-workers/ and /trusted/ under policies, and below /older/ and
 * /unsteady/ to a browser that is made to be so.
 */
export async function servePages(names, buildMore = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-web-'))
  await build({
    entryPoints: names.map((name) => join(fixtures, name)),
    ...{ bundle: true, format: 'esm', outdir: folder, logLevel: 'error' },
  })
  await buildMore(folder)
  const answerFile = createPageFiles()
  const server = createServer((request, response) => {
    const { url } = request
    if (url.startsWith('/files/')) return void answerFile(request, response)
    const [, kind, name, script = 'page'] =
      /^\/(isolated\/|no-workers\/|trusted\/|older\/|unsteady\/)?([\w.-]*)(?:\?([\w-]+))?$/.exec(url) ?? []
    const headers = HEADERS[kind] ?? {}
    const before = FIRST[kind] ?? ''
    if (name === '')
      return void response.writeHead(200, { ...headers, 'Content-Type': 'text/html' }).end(pageOf(script))
    try {
      const code = before + readFileSync(join(folder, name), 'utf8')
      response.writeHead(200, { ...headers, 'Content-Type': 'text/javascript' }).end(code)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const pageOf = (script) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="${script}.js"></script>`
