// threadwise doctor --write: task modules in the language and the style of the app, with which the app runs.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { installApp, startApp } from '../helpers/doctor-app.js'
import { doctorCommand } from '../helpers/doctor-command.js'

const { cwd: folder, resultOf } = doctorCommand()
const names = ['renderReport', 'priceOf']
const read = (...path) => readFileSync(join(...path), 'utf8')

/** Gives the folder of the app, and the rows of its functions. */
async function diagnose(name, { words, write, prepare = () => {} }) {
  const cwd = join(folder, words.join('-').replace(/\W/g, '-') + name)
  installApp(name, cwd)
  await prepare(cwd)
  const { result } = await resultOf(['--rate', '25', '--write', write, '--', ...words], { cwd })
  const rows = names.map((wanted) => result.functions.find((row) => row.name === wanted))
  for (const [at, row] of rows.entries()) {
    assert.equal(row?.verdict, 'move', `${names[at]}: ${row?.reasons}`)
    assert.ok(row.task.module.startsWith(`${write}/`), `${row.task.module} ${row.reasons}`)
  }
  return { cwd, rows }
}

/** With the answers of the app as it was, an error of a class, and the profile. */
async function assertRuns(t, { cwd, words, key, env = {} }) {
  const entry = [{ cpus: 64, executor: 'threads', size: 1, sentence: 'Written by a test.', measuredAt: '2026-01-01', node: process.version }] // prettier-ignore
  const modules = Object.fromEntries(names.map((name) => [key(name), { [name]: entry }]))
  writeFileSync(join(cwd, 'threadwise.json'), JSON.stringify({ version: 1, modules }))
  const [before, after] = await Promise.all([{}, { MOVED: '1' }].map((moved) => startApp(t, words, { cwd, env: { ...env, ...moved } }))) // prettier-ignore
  const ask = async (origin, path) => {
    const response = await fetch(`${origin}${path}`)
    return [response.status, await response.text()]
  }
  for (const path of ['/', '/many']) assert.deepEqual(await ask(after, path), await ask(before, path))
  assert.equal((await ask(after, '/many'))[0], 429)
  assert.equal(JSON.parse((await ask(after, '/profile'))[1]), join(cwd, 'threadwise.json'))
}

/** What a commit of all holds. */
function assertCommitted(cwd, files) {
  const git = (...args) => execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8' })
  writeFileSync(join(cwd, '.gitignore'), 'node_modules\ndist\n')
  git('init', '--quiet')
  git('add', '--all')
  const added = git('ls-files').trim().split('\n')
  for (const file of files) assert.ok(added.includes(file), `${file} of ${added}`)
  assert.ok(!added.some((file) => file.startsWith('.threadwise/')), added.join())
}

/** As a compiler does that takes one file after the other. */
async function compile(cwd) {
  const sources = readdirSync(join(cwd, 'src'), { recursive: true }).filter((file) => file.endsWith('.ts'))
  const entryPoints = sources.map((file) => join(cwd, 'src', file))
  await build({ entryPoints, outdir: join(cwd, 'dist'), outbase: join(cwd, 'src'), sourcemap: true, target: 'node20', logLevel: 'error' }) // prettier-ignore
}

/** What the app uses of it: those of the package are not built here. */
const THREADWISE = `
declare module 'threadwise/task' { export function registerClass(type: unknown): void }
declare module 'threadwise' {
  export function registerClass(type: unknown): void
  export function executor<T>(module: URL, options: object): { tasks: T; stats(): { profile?: { file: string | null } } }
}`

/** By the rules of the strictest projects. */
function checkTypes(cwd) {
  const types = fileURLToPath(new URL('../../node_modules/@types', import.meta.url))
  mkdirSync(join(cwd, 'types'), { recursive: true })
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', verbatimModuleSyntax: true, isolatedModules: true, skipLibCheck: true, noUnusedLocals: true, types: ['node'], typeRoots: [types], allowImportingTsExtensions: true } // prettier-ignore
  writeFileSync(join(cwd, 'types/threadwise.d.ts'), THREADWISE)
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['src', 'types'] }),
  )
  const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  execFileSync(process.execPath, [compiler, '-p', cwd], { encoding: 'utf8' })
}

describe('threadwise doctor --write', () => {
  test('passes on a function of an ES module, copies what cannot be loaded alone, and the app runs with both', async (t) => {
    const { cwd } = await diagnose('write-esm', { words: ['node', 'app.js'], write: 'tasks' })
    const report = read(cwd, 'tasks/renderReport.tasks.js')
    assert.match(report, /^export \{ renderReport \} from '\.\.\/lib\/report\.js'$/m)
    assert.match(report, /^registerClass\(TooMany\)$/m)
    assert.doesNotMatch(report, /;$/m)
    assert.match(read(cwd, 'tasks/priceOf.tasks.js'), /^import \{ weigh \} from '\.\/priceOf\.weigh-1\.js'$/m)
    assertCommitted(cwd, [
      'tasks/renderReport.tasks.js',
      'tasks/priceOf.tasks.js',
      'tasks/priceOf.weigh-1.js',
    ])
    await assertRuns(t, { cwd, words: ['app.js'], key: (name) => `tasks/${name}.tasks.js` })
  })

  test('writes CommonJS for CommonJS, with its semicolons, and names files as the app does', async (t) => {
    const { cwd } = await diagnose('write-cjs', { words: ['node', 'app.js'], write: 'tasks' })
    const report = read(cwd, 'tasks/renderReport.tasks.js')
    assert.match(report, /^const \{ TooMany \} = require\('\.\.\/lib\/errors'\);$/m)
    assert.match(
      report,
      /^module\.exports = \{ renderReport: require\('\.\.\/lib\/report'\)\.renderReport \};$/m,
    )
    const price = read(cwd, 'tasks/priceOf.tasks.js')
    assert.match(price, /^const \{ weigh \} = require\('\.\/priceOf\.weigh-1'\);$/m)
    assert.match(price, /^module\.exports = \{ priceOf \};$/m)
    assert.doesNotMatch(price, /import|export \{/)
    assertCommitted(cwd, ['tasks/renderReport.tasks.js', 'tasks/priceOf.weigh-1.js'])
    await assertRuns(t, { cwd, words: ['app.js'], key: (name) => `tasks/${name}.tasks.js` })
  })

  test('writes TypeScript for TypeScript that is compiled, with its types', async (t) => {
    const words = ['node', 'dist/app.js']
    const { cwd } = await diagnose('write-ts', { words, write: 'src/tasks', prepare: compile })
    const report = read(cwd, 'src/tasks/renderReport.tasks.ts')
    assert.match(report, /^export \{ renderReport \} from "\.\.\/report\.js";$/m)
    const price = read(cwd, 'src/tasks/priceOf.tasks.ts')
    assert.match(price, /^import type \{ Row \} from "\.\.\/types\.js";$/m)
    assert.match(price, /^interface Order \{$/m)
    assert.match(price, /\(\{ rows, discount = 0 \}: Order\): Priced =>/)
    assertCommitted(cwd, ['src/tasks/renderReport.tasks.ts', 'src/tasks/priceOf.tasks.ts', 'src/tasks/priceOf.weigh-1.ts']) // prettier-ignore
    checkTypes(cwd)
    await compile(cwd)
    await assertRuns(t, { cwd, words: ['dist/app.js'], key: (name) => `src/tasks/${name}.tasks.ts` })
  })

  test(
    'writes TypeScript for TypeScript that Node.js runs itself',
    { skip: !process.features.typescript && 'this Node.js does not' },
    async (t) => {
      const inTypeScript = (cwd) => {
        for (const file of readdirSync(join(cwd, 'src'))) {
          const text = read(cwd, 'src', file)
            .replace(/(from "\.\/\w+)\.js"/g, '$1.ts"')
            .replace('tasks.js`', 'tasks.ts`')
          writeFileSync(join(cwd, 'src', file), text)
        }
      }
      const { cwd } = await diagnose('write-ts', { words: ['node', 'src/app.ts'], write: 'src/tasks', prepare: inTypeScript }) // prettier-ignore
      assert.match(
        read(cwd, 'src/tasks/renderReport.tasks.ts'),
        /^export \{ renderReport \} from "\.\.\/report\.ts";$/m,
      )
      assert.match(
        read(cwd, 'src/tasks/priceOf.tasks.ts'),
        /^import \{ weigh \} from "\.\/priceOf\.weigh-1\.ts";$/m,
      )
      checkTypes(cwd)
      await assertRuns(t, { cwd, words: ['src/app.ts'], key: (name) => `src/tasks/${name}.tasks.ts` })
    },
  )
})
