// TypeScript of a package of CommonJS, under a loader of --require: what the program can load, workers can, on each version of Node.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testFolder } from '../helpers/files.js'
import { measuredCodes, program as measure, smallInline } from '../helpers/program.js'

const loader = fileURLToPath(new URL('../fixtures/preloads/require-typescript.cjs', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

const modules = {
  'dirname.ts': 'export const add = (a: number, b: number): number => a + b + (__dirname ? 0 : 1)',
  'resolve.ts':
    "export const add = (a: number, b: number): number => a + b + (require.resolve('./util') ? 0 : 1)",
  'required.ts':
    "import util = require('./util')\nexport const add = (a: number, b: number): number => util.plus(a, b)",
  'typed.ts':
    "import { Numbers, plus } from './util'\nexport const add = (...numbers: Numbers): number => plus(...numbers)",
  'enum.ts': 'enum Zero { Is }\nexport const add = (a: number, b: number): number => a + b + Zero.Is',
  'second.cts':
    "import { plus } from './util'\nexport const add = (a: number, b: number): number => plus(a, b)",
  'util.ts':
    'export type Numbers = [number, number]\nexport const plus = (a: number, b: number): number => a + b',
}
const program = `
import { threads, processes, inline, concurrent } from 'threadwise'
import { join } from 'node:path'

void (async () => {
  const names = ['dirname.ts', 'resolve.ts', 'required.ts', 'typed.ts', 'enum.ts', 'second.cts']
  const modules = Object.fromEntries(names.map((name) => [name.replace(/\\..*/, ''), join(__dirname, name)]))
  for (const make of [inline, concurrent, threads, processes]) {
    const pool = make<any>(modules)
    for (const name of Object.keys(modules)) {
      const sum = await pool.run(name + '.add', [40, 2]).catch((error: Error) => error.message)
      if (sum !== 42) console.log(name, pool.kind, sum)
    }
    await pool.close()
  }
  console.log('done')
})()
`

function project(t, files) {
  const path = testFolder(t)
  mkdirSync(path('node_modules'))
  symlinkSync(root, path('node_modules/threadwise'), 'junction')
  for (const [name, text] of Object.entries({ 'package.json': '{ "name": "app" }', ...modules, ...files }))
    writeFileSync(path(name), text)
  return path
}

test('executors load it as the program does', (t) => {
  const path = project(t, { 'main.ts': program })
  const printed = execFileSync(process.execPath, ['--require', loader, path('main.ts')], { encoding: 'utf8' })
  assert.equal(printed, 'done\n')
})

test('measure loads it by the loader that measure was started with', async (t) => {
  const path = project(t, {
    'add.workload.ts': "import { join } from 'node:path'\nimport { pathToFileURL } from 'node:url'\nexport default { module: pathToFileURL(join(__dirname, 'required.ts')), task: 'add', inputs: [[1, 2]] }", // prettier-ignore
  })
  const args = ['--require', loader, measure, 'measure', path('add.workload.ts'), ...smallInline]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.ok(measuredCodes.includes(status), stderr)
})
