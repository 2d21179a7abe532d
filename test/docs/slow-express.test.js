// examples/slow-express: its README shows its patches, and with each of them it answers what it answered before.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createRequire } from 'node:module'
import { blocksOf, linksOf, readPage, root } from './pages.js'

const example = 'examples/slow-express'
const patches = ['1-forecast.patch', '2-login.patch', '3-products.patch', '4-labels.patch']
const readme = readPage(`${example}/README.md`)
const folder = mkdtempSync(join(tmpdir(), 'threadwise-slow-'))
after(() => rmSync(folder, { recursive: true, force: true }))
cpSync(join(root, example), folder, { recursive: true })
mkdirSync(join(folder, 'node_modules'))
symlinkSync(root, join(folder, 'node_modules/threadwise'), 'junction')
const express = dirname(createRequire(import.meta.url).resolve('express/package.json'))
symlinkSync(express, join(folder, 'node_modules/express'), 'junction')

test('the README shows each patch, and links to what exists', () => {
  const shown = blocksOf(readme).filter(({ language }) => language === 'diff')
  const written = patches.map((name) => readFileSync(join(folder, name), 'utf8'))
  assert.deepEqual(shown.map(({ text }) => text), written) // prettier-ignore
  for (const target of linksOf(readme)) assert.ok(readFileSync(join(folder, target), 'utf8'), target)
})

/** What each page says, of a server that is ended again. */
async function answers() {
  const env = { ...process.env, PORT: '0' }
  const server = spawn(process.execPath, ['server.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] }) // prettier-ignore
  const ended = once(server, 'exit')
  try {
    const [line] = await once(server.stdout, 'data')
    const ask = async (path) => {
      const response = await fetch(`${String(line).trim()}${path}`)
      return [response.status, await response.text()]
    }
    const paths = ['/', '/forecast', '/login', '/login?password=wrong', '/products', '/labels']
    return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await ask(path)])))
  } finally {
    server.kill('SIGKILL')
    await ended
  }
}

describe('the shop', { timeout: 60_000 }, () => {
  let before
  test('answers', async () => {
    before = await answers()
    assert.ok(Object.values(before).every(([status]) => status === 200))
    assert.deepEqual([before['/login'][1], before['/login?password=wrong'][1]], ['{"ok":true}', '{"ok":false}']) // prettier-ignore
    assert.equal(JSON.parse(before['/products'][1]).length, 10)
  })
  for (const name of patches)
    test(`answers the same with ${name}`, async () => {
      const { status, stderr } = spawnSync('git', ['apply', name], { cwd: folder, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      assert.deepEqual(await answers(), before)
    })
})
