// A browser with pages from a server of the test's own, on loopback.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const executablePath = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find((path) => path !== '')

/** Why tests that need one are skipped; false: they run. On a machine that must not skip, this fails. */
export const withoutChromium = executablePath
  ? false
  : process.env.CI
    ? fail('chromium is missing (apt-get install chromium), and CI must not skip')
    : 'chromium is not installed (apt-get install chromium)'

function fail(message) {
  throw new Error(message)
}

/** `--no-sandbox`: as root, as in most containers, Chromium starts in no other way. */
export function startChromium() {
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

const fixtures = fileURLToPath(new URL('../fixtures/web/', import.meta.url))

/** The two headers with which a page is isolated, and may share memory with its workers. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** Bundles files of test/fixtures/web as a user would, and serves them; below /isolated/ with the headers of isolation. */
export async function servePages(names, buildMore = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-web-'))
  await build({
    entryPoints: names.map((name) => join(fixtures, name)),
    ...{ bundle: true, format: 'esm', outdir: folder, logLevel: 'error' },
  })
  await buildMore(folder)
  const server = createServer(({ url }, response) => {
    const [, isolated, name, script = 'page'] = /^\/(isolated\/)?([\w.-]*)(?:\?([\w-]+))?$/.exec(url) ?? []
    const headers = isolated ? ISOLATION : {}
    if (name === '')
      return void response.writeHead(200, { ...headers, 'Content-Type': 'text/html' }).end(pageOf(script))
    try {
      const code = readFileSync(join(folder, name))
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
