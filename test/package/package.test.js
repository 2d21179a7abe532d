// The package as npm delivers it: packed, installed into an empty folder, and used from there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'threadwise-package-'))
const installed = join(folder, 'node_modules', 'threadwise')
const hasCommandLine = existsSync(join(root, 'dist/cli/main.js'))
let packed

after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program to its end, with a limit; gives what it printed, or fails with it. */
function run(command, args, { cwd = folder, limitMs = 60_000 } = {}) {
  const result = tryRun(command, args, { cwd, limitMs })
  const { status, stdout, stderr, error } = result
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? status}\n${stdout}${stderr}`)
  return stdout
}

function tryRun(command, args, { cwd = folder, limitMs = 60_000 } = {}) {
  // Variables of the npm that runs the tests would reach the npm that is tested.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle)|NODE_(OPTIONS|TEST_CONTEXT))/.test(name),
    ),
  )
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: limitMs, killSignal: 'SIGKILL' })
}

const node = (...args) => run(process.execPath, args)

function write(name, text) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
  return name
}

before(() => {
  // Without its scripts: dist/ is built already, and building it again would take it away under other tests.
  ;[packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root }),
  )
  write('package.json', '{ "name": "consumer", "private": true }')
  const install = (where) => ['install', '--no-audit', '--no-fund', where, join(folder, packed.filename)]
  // The dependencies may lie in npm's cache; only if not, the registry is asked.
  const { status } = tryRun('npm', install('--offline'))
  if (status !== 0) run('npm', install('--prefer-offline'), { limitMs: 90_000 })
  write('tasks.mjs', 'export const add = (a, b) => a + b\nexport async function later(x) { return x }\n')
})

describe('the archive', () => {
  const paths = () => packed.files.map(({ path }) => path)

  test('holds what was built, and nothing else', () => {
    const allowed = /^(dist\/.*\.(c?js|d\.ts)|docs\/.*|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/
    assert.deepEqual(paths().filter((path) => !allowed.test(path)), []) // prettier-ignore
    for (const path of ['dist/index.js', 'dist/index.d.ts', 'dist/task.js', 'LICENSE', 'package.json']) {
      assert.ok(paths().includes(path), path)
    }
  })

  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const ways = [...Object.values(exports).flatMap((way) => Object.values(way)), ...Object.values(bin)]
  const built = ways.map((path) => path.replace('./', '')).filter((path) => path.startsWith('dist/'))
  for (const path of [
    ...built,
    'dist/runtime/threads/thread-entry.cjs',
    'dist/runtime/processes/process-entry.cjs',
  ]) {
    test(`holds ${path}, which users reach`, () => assert.ok(paths().includes(path)))
  }

  test('runs nothing when it is installed', () => {
    const { scripts = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare']
    assert.deepEqual(hooks.filter((hook) => hook in scripts), []) // prettier-ignore
    assert.equal(existsSync(join(installed, 'binding.gyp')), false)
  })

  test('names no path of the machine that built it', () => {
    const texts = packed.files.filter(({ path }) => /\.(c?js|ts|json)$/.test(path))
    const guilty = texts.filter(({ path }) => readFileSync(join(installed, path), 'utf8').includes(root))
    assert.deepEqual(guilty, [])
  })
})

const program = `
  const url = require('node:url').pathToFileURL(require('node:path').resolve('tasks.mjs'))
  const results = async ({ inline, concurrent, threads, processes }) => {
    for (const make of [inline, concurrent, threads, processes]) {
      const executor = make(url)
      console.log(executor.kind, await executor.tasks.add(1, 2), await executor.map('later', [1, 2]))
      await executor.close()
    }
  }`
const printed = ['inline', 'concurrent', 'threads', 'processes']
  .map((kind) => `${kind} 3 [ 1, 2 ]\n`)
  .join('')

describe('a program in JavaScript', () => {
  test('imports it as a module', () => {
    const file = write(
      'program.mjs',
      `import { createRequire } from 'node:module'
       import * as threadwise from 'threadwise'
       import { task } from 'threadwise/task'
       const require = createRequire(import.meta.url)
       ${program}
       await results(threadwise)
       console.log(task.worker.name, threadwise.cpuBudget().cpus > 0)`,
    )
    assert.equal(node(file), `${printed}main true\n`)
  })

  test('requires it from CommonJS', () => {
    const file = write(
      'program.cjs',
      `const { isThreadwiseError, ...threadwise } = require('threadwise')
       ${program}
       results(threadwise).then(() => {
         try { threadwise.threads('./relative.js') } catch (error) { console.log(isThreadwiseError(error), error.code) }
       })`,
    )
    assert.equal(node(file), `${printed}true TW_ERR_INVALID_OPTION\n`)
  })

  test('does not reach into the package past its ways in', () => {
    const { stderr, status } = tryRun(process.execPath, [
      '-e',
      'import("threadwise/dist/runtime/pool/pool.js")',
    ])
    assert.equal(status, 1)
    assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
    const version = node('-p', 'require("threadwise/package.json").version').trim()
    assert.equal(version, packed.version)
  })

  test('loads no dependency: all that there are are for the command line', () => {
    const lean = ['threadwise', 'threadwise/task', 'threadwise/parallel', 'threadwise/cluster']
    if (existsSync(join(installed, 'dist/measure.js'))) lean.push('threadwise/measure')
    const file = write(
      'lean.mjs',
      `for (const way of ${JSON.stringify(lean)}) await import(way)
       const { threads } = await import('threadwise')
       const pool = threads(new URL('./tasks.mjs', import.meta.url), { size: 1 })
       console.log(await pool.tasks.add(1, 2))
       await pool.close()`,
    )
    const names = ['commander', 'croner', 'mustache', 'pngjs']
    for (const name of names) {
      assert.ok(existsSync(join(folder, 'node_modules', name)), `${name} is installed`)
      renameSync(join(folder, 'node_modules', name), join(folder, `hidden-${name}`))
    }
    try {
      for (const name of names)
        assert.notEqual(tryRun(process.execPath, ['-e', `require('${name}')`]).status, 0)
      assert.equal(node(file), '3\n')
    } finally {
      for (const name of names) renameSync(join(folder, `hidden-${name}`), join(folder, 'node_modules', name))
    }
  })
})

describe('a program in TypeScript', () => {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const typesOfNode = join(root, 'node_modules', '@types')

  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ]) {
    test(`compiles under module ${module} with ${moduleResolution} resolution, libraries checked`, () => {
      const name = `ts-${moduleResolution}`
      write(
        `${name}/main.ts`,
        `import { isThreadwiseError, threads } from 'threadwise'
         import { task } from 'threadwise/task'
         import type * as Tasks from './tasks.js'
         export const pool = threads<typeof Tasks>('file:///tasks.js')
         export const sum: Promise<number> = pool.tasks.add(1, 2)
         export const signal: AbortSignal = task.signal
         export const check = (error: unknown) => isThreadwiseError(error) && error.code === 'TW_ERR_CLOSED'
         // @ts-expect-error -- the types are found: a wrong call is refused
         export const wrong = pool.tasks.add('1')`,
      )
      write(`${name}/tasks.ts`, 'export const add = (a: number, b: number): number => a + b')
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2022', lib: ['es2023', 'esnext.disposable'] },
        ...{ strict: true, noEmit: true, types: ['node'], typeRoots: [typesOfNode] },
      }
      write(`${name}/package.json`, '{ "type": "module" }')
      write(`${name}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['*.ts'] }))
      run(process.execPath, [tsc, '-p', join(folder, name)])
    })
  }
})

describe('the command line', () => {
  const skip = !hasCommandLine && 'dist/cli/main.js is not built yet'

  test('answers npx threadwise --help', { skip }, () => {
    const help = run('npx', ['--no-install', 'threadwise', '--help'])
    for (const command of ['measure', 'cpus', 'lab']) assert.match(help, new RegExp(`\\b${command}\\b`))
  })
})
