// threadwise/unplugin: what it builds beside the bundle, and how the program names that.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { rollup } from 'rollup'
import threadwise from 'threadwise/unplugin'
import { findTaskModules } from '../../../build/bundling/find-task-modules.js'
import { testFolder } from '../../helpers/files.js'

const app = fileURLToPath(new URL('../../../field/apps/plain/', import.meta.url))
const external = [/^threadwise/, /^node:/]
const esbuildOptions = { bundle: true, platform: 'node', packages: 'external', logLevel: 'error' }

/** The text of the file that the bundle names, with what it imports. */
function namedBy(file) {
  const [, way] = /"(\.[^"]*tasks-\w+\.js)"/.exec(readFileSync(file, 'utf8')) ?? []
  assert.ok(way, `${file} names no task module`)
  return readFileSync(join(dirname(file), way), 'utf8')
}

const isWhole = (code) => /a \+ b/.test(code) && /export ?\{[^}]*add/.test(code)

describe('the plugin', () => {
  test('has Rollup write the task module as a chunk that keeps its exports', async (t) => {
    const dir = testFolder(t)('dist')
    const bundle = await rollup({ input: join(app, 'main.js'), external, plugins: [threadwise.rollup()] })
    await bundle.write({ dir, entryFileNames: 'deep/[name].js', chunkFileNames: '[name]-[hash].js' })
    assert.ok(isWhole(namedBy(join(dir, 'deep/main.js'))))
  })

  test('names it by import.meta.url where another plugin replaces that, as Nitro does', async () => {
    const nitro = {
      name: 'nitro',
      renderChunk: (code) => code.replaceAll('import.meta', 'globalThis._importMeta_'),
    }
    const bundle = await rollup({
      input: join(app, 'main-url.js'),
      external,
      plugins: [threadwise.rollup(), nitro],
    })
    const { output } = await bundle.generate({ format: 'es', chunkFileNames: 'chunks/[name]-[hash].js' })
    assert.match(output[0].code, /new URL\("\.\/chunks\/tasks-[\w-]+\.js", import\.meta\.url\)/)
  })

  test('keeps it apart from a program that is to be one file', async () => {
    const bundle = await rollup({ input: join(app, 'main.js'), external, plugins: [threadwise.rollup()] })
    const { output } = await bundle.generate({ format: 'es', inlineDynamicImports: true })
    const [main, tasks] = ['main', 'tasks'].map((name) => output.find((each) => each.name === name))
    assert.ok(isWhole(tasks.code))
    assert.ok(!tasks.imports.includes(main.fileName), tasks.code)
  })

  test('names it from __dirname in CommonJS of Rollup', async () => {
    const bundle = await rollup({ input: join(app, 'main-url.js'), external, plugins: [threadwise.rollup()] })
    const { output } = await bundle.generate({ format: 'cjs' })
    assert.match(
      output[0].code,
      /pathToFileURL\(require\('node:path'\)\.join\(__dirname, "\.\/tasks-[\w-]+\.js"\)\)/,
    )
  })

  for (const [place, names] of [
    ['beside the program', {}],
    ['for a program in a folder of its own', { entryNames: 'deep/[name]' }],
  ]) {
    test(`has esbuild write it, ${place}`, async (t) => {
      const outdir = testFolder(t)('dist')
      const entryPoints = [join(app, 'main.js')]
      const plugins = [threadwise.esbuild()]
      await build({ ...esbuildOptions, entryPoints, outdir, format: 'esm', plugins, ...names })
      assert.ok(isWhole(namedBy(join(outdir, names.entryNames ? 'deep/main.js' : 'main.js'))))
    })
  }

  test('names it without import.meta.url in a bundle of CommonJS, also one that is not written', async () => {
    const entryPoints = [join(app, 'main-url.js')]
    const options = { entryPoints, outfile: 'out/main.cjs', format: 'cjs', write: false }
    const plugins = [threadwise.esbuild()]
    const { outputFiles, warnings } = await build({ ...esbuildOptions, ...options, plugins })
    assert.deepEqual(warnings, [])
    const [main, tasks] = outputFiles
    assert.match(main.text, /join\(__dirname, "\.\/tasks-\w+\.js"\)/)
    assert.match(tasks.text, /add: \(\) => add/)
    assert.equal(existsSync(main.path), false)
  })
})

describe('a place that names a task module', () => {
  const here = join(app, 'main.js')
  const found = (code) => findTaskModules(code, here).map(({ file }) => file.slice(app.length))
  const imports = "import { threads } from 'threadwise'\n"

  test('is found in each form', () => {
    for (const code of [
      "threads(new URL('./tasks.js', import.meta.url))",
      'const url = new URL(\n  "./tasks.js",\n  import.meta.url,\n)',
      'threads<typeof Tasks>(new URL(`./tasks.js`, import.meta.url))',
    ])
      assert.deepEqual(found(imports + code), ['tasks.js'], code)
  })

  test('is none where the file is for another, is not there, or threadwise is not imported', () => {
    assert.deepEqual(found("threads(new URL('./tasks.js', import.meta.url))"), [])
    for (const code of [
      "new Worker(new URL('./tasks.js', import.meta.url))",
      "threads(new URL('./none.js', import.meta.url))",
      "readFile(new URL('./tasks.json', import.meta.url))",
    ])
      assert.deepEqual(found(imports + code), [], code)
  })
})
