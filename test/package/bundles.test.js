// A small app with the package inside: bundled, and run in an empty folder that holds nothing else.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { build } from 'esbuild'
import { rollup } from 'rollup'
import { installPackage, run } from './installed.js'

const { folder, installed, remove, write } = installPackage()
after(remove)

const tasks = `
  import { task } from 'threadwise/task'
  export const add = (a, b) => a + b
  export const where = () => task.worker.name`
const server = `
  import { createServer } from 'node:http'
  createServer((_, response) => response.end('served')).listen(process.env.PORT)`
const main = `
  import * as threadwise from 'threadwise'
  import { serve } from 'threadwise/cluster'
  import { measure, measureServer } from 'threadwise/measure'
  import { map } from 'threadwise/parallel'
  import { dirname, join } from 'node:path'
  import { pathToFileURL } from 'node:url'

  const beside = (name) => join(dirname(process.argv[1]), name)
  const quick = { rounds: 1, quick: true, cpus: [1] }
  const failures = ({ cells }) => cells.map(({ failed }) => failed)
  const jobs = {
    async pools() {
      for (const kind of ['inline', 'concurrent', 'threads', 'processes', 'adaptive']) {
        const pool = threadwise[kind](pathToFileURL(beside('tasks.mjs')), { name: 'app' })
        console.log(kind, await pool.tasks.add(1, 2), await pool.tasks.where(), await map(pool, 'where', [1]))
        await pool.close()
      }
    },
    async serve() {
      const service = await serve(beside('server.mjs'), { instances: 2, hangTimeout: 5000 })
      console.log(service.status().instances.map(({ state }) => state))
      await service.stop()
    },
    async measure() {
      console.log(failures(await measure(beside('tasks.mjs'), { task: 'add', args: [[1, 2]], executors: ['threads', 'processes'], sizes: [1], ...quick })))
    },
    async measureServer() {
      console.log(failures(await measureServer(beside('server.mjs'), { instances: [1], ...quick })))
    },
  }
  jobs[process.argv[2]]()`
const entryPoints = Object.entries({ main, tasks, server }).map(([name, text]) =>
  join(folder, write(`app/${name}.mjs`, text)),
)

const esbuild = (format) => async (outdir) => {
  const options = { entryPoints, outdir, bundle: true, platform: 'node', target: 'node20', logLevel: 'error' }
  const outExtension = { '.js': '.mjs' } // tasks and server, which main names
  await build({ ...options, format: 'esm', outExtension })
  if (format === 'cjs') await build({ ...options, entryPoints: entryPoints.slice(0, 1), format })
}

/** Without a plugin that finds packages: what these need beyond their own files would be left outside. */
const withRollup = async (dir) => {
  const resolveId = (id) => {
    if (id.startsWith('threadwise')) return join(installed, 'dist', `${id.split('/')[1] ?? 'index'}.js`)
  }
  const bundle = await rollup({
    input: entryPoints,
    external: /^node:/,
    plugins: [{ name: 'find', resolveId }],
  })
  await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
}

const kinds = ['inline', 'concurrent', 'threads', 'processes', 'adaptive']
const answers = kinds.map((kind) => `${kind} 3 app [ 'app' ]\n`).join('')

for (const [title, bundle, program] of [
  ['esbuild, ES module', esbuild('esm'), 'main.mjs'],
  ['esbuild, CommonJS', esbuild('cjs'), 'main.js'],
  ['rollup', withRollup, 'main.mjs'],
]) {
  describe(title, async () => {
    const alone = mkdtempSync(join(tmpdir(), 'threadwise-alone-'))
    after(() => rmSync(alone, { recursive: true, force: true }))
    const bundled = join(folder, 'bundled', title)
    await bundle(bundled)
    cpSync(bundled, alone, { recursive: true })
    const app = (job) => run(process.execPath, [join(alone, program), job], { cwd: alone })

    test('runs tasks on each executor', () => assert.equal(app('pools'), answers))
    if (program === 'main.mjs') return // what follows is the same, and takes long
    test('serves', () => assert.equal(app('serve'), "[ 'serving', 'serving' ]\n"))
    test('measures a task', () => assert.match(app('measure'), /^\[( null,?)+ \]\n$/))
    test('measures a server', () => assert.match(app('measureServer'), /^\[( null,?)+ \]\n$/))
  })
}
