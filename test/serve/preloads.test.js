// What runs before the app, and turns the event loop there: each instance starts all the same, as plain node does.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 60_000 }

const HOOKS = `export const load = (url, context, next) => next(url, context)`
const PRELOADS = {
  'an await of a timer': `await new Promise((resolve) => setTimeout(resolve, 50))`,
  'an await of a file': `import { readFile } from 'node:fs/promises'; await readFile(new URL(import.meta.url))`,
  'hooks of a loader': `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(HOOKS)}`)})`,
  'nothing that takes time': `globalThis.was = true`,
  'a listener for messages': `process.on('message', () => {}); await new Promise((resolve) => setTimeout(resolve, 50))`,
}

for (const [what, text] of Object.entries(PRELOADS)) {
  for (const way of ['execArgv', 'NODE_OPTIONS']) {
    test(`an app starts, reloads and scales behind a preload with ${what}, by ${way}`, limit, async (t) => {
      const preload = join(temporaryFolder(t), 'preload.mjs')
      writeFileSync(preload, text)
      const options = `--import=${pathToFileURL(preload)}`
      const given = way === 'execArgv' ? { execArgv: [options] } : { env: { NODE_OPTIONS: options } }
      const { service: running, url } = await service(t, program('hello'), { instances: 1, ...given })
      assert.equal(await textOf(url), 'hello')
      await running.reload()
      await running.scale(2)
      assert.equal(await textOf(url), 'hello')
    })
  }
}

test('an app starts behind --require, and its own messages are all its own', limit, async (t) => {
  const preload = join(temporaryFolder(t), 'preload.cjs')
  writeFileSync(preload, `process.on('message', (m) => { throw new Error('seen: ' + JSON.stringify(m)) })`)
  const { url } = await service(t, program('hello'), { instances: 1, execArgv: ['--require', preload] })
  assert.equal(await textOf(url), 'hello')
})

test(
  'threads and children of the app do not wait for anything, and do not see the option',
  limit,
  async (t) => {
    const text = program(
      'hello',
      `
    const { execFileSync } = await import('node:child_process')
    const { Worker } = await import('node:worker_threads')
    const child = execFileSync(process.execPath, [...process.execArgv, '-p', '1 + 1']).toString().trim()
    const thread = await new Promise((resolve) => new Worker('require("node:worker_threads").parentPort.postMessage(2)', { eval: true }).on('message', resolve))
    if (child !== '2' || thread !== 2 || process.execArgv.length > 0) throw new Error(process.execArgv.join())`,
    )
    const { url } = await service(t, text, { instances: 1, execArgv: [] })
    assert.equal(await textOf(url), 'hello')
  },
)
