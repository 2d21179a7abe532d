// threadwise/unplugin: what it builds beside the bundle, and how the program names that.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build, context } from 'esbuild'
import { rollup } from 'rollup'
import threadwise from 'threadwise/unplugin'
import { findTaskModules } from '../../../build/bundling/find-task-modules.js'
import { writeWorker } from '../../../build/bundling/page-workers.js'
import { replaceEach } from '../../../build/bundling/replace-places.js'
import { testFolder } from '../../helpers/files.js'

const app = fileURLToPath(new URL('../../../field/apps/plain/', import.meta.url))
const external = [/^threadwise/, /^node:/]
const esbuildOptions = { bundle: true, platform: 'node', packages: 'external', logLevel: 'error' }

const namesTasks = (file) => /"\.[^"]*tasks-\w+\.js[#"]/.test(readFileSync(file, 'utf8'))

/** The text of the file that the bundle names, with what it imports. */
function namedBy(file) {
  const [, way] = /"(\.[^"]*tasks-[\w-]+\.js)[#"]/.exec(readFileSync(file, 'utf8')) ?? []
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
    assert.match(
      output[0].code,
      /new URL\("\.\/chunks\/tasks-[\w-]+\.js#field\/apps\/plain\/tasks\.js", import\.meta\.url\)/,
    )
  })

  test('keeps it apart from a program that is to be one file', async () => {
    const bundle = await rollup({ input: join(app, 'main.js'), external, plugins: [threadwise.rollup()] })
    const { output } = await bundle.generate({ format: 'es', inlineDynamicImports: true })
    const [main, tasks] = ['main', 'tasks'].map((name) => output.find((each) => each.name === name))
    assert.ok(isWhole(tasks.code))
    assert.ok(!tasks.imports.includes(main.fileName), tasks.code)
  })

  for (const [ending, format] of [
    ['.mjs', 'es'],
    ['.cjs', 'cjs'],
  ]) {
    test(`ends its name as that of the program: ${ending}`, async () => {
      const input = join(app, 'main-url.js')
      const bundle = await rollup({ input, external, plugins: [threadwise.rollup()] })
      const { output } = await bundle.generate({ format, entryFileNames: `[name]${ending}` })
      assert.ok(output.every(({ fileName }) => fileName.endsWith(ending)))
      const options = { entryPoints: [input], outfile: `out/main${ending}`, write: false }
      const plugins = [threadwise.esbuild()]
      const { outputFiles } = await build({ ...esbuildOptions, ...options, format: format.replace('es', 'esm'), plugins }) // prettier-ignore
      assert.ok(outputFiles.every(({ path }) => path.endsWith(ending)))
    })
  }

  test('names it in a program without an ending', async (t) => {
    const outfile = testFolder(t)('tool')
    const options = { entryPoints: [join(app, 'main-url.js')], outfile, format: 'esm' }
    await build({ ...esbuildOptions, ...options, plugins: [threadwise.esbuild()] })
    assert.ok(isWhole(namedBy(outfile)))
  })

  test('has esbuild build again what a task module imports, also after a mistake there', async (t) => {
    const path = testFolder(t)
    const write = (name, text) => writeFileSync(path(name), text)
    write('main.js', "import { threads } from 'threadwise'\nthreads(new URL('tasks.js', import.meta.url))")
    write('tasks.js', "export { add } from './add.js'")
    write('add.js', 'export const add = 1')
    let wake
    const next = () => new Promise((resolve) => (wake = resolve))
    const told = {
      name: 'told',
      // Task modules are builds of their own, with the same plugins.
      setup: ({ initialOptions, onEnd }) => initialOptions.outdir === 'dist' && onEnd(() => wake?.()),
    }
    const options = { entryPoints: ['main.js'], absWorkingDir: path('.'), outdir: 'dist', format: 'esm' }
    const plugins = [threadwise.esbuild(), told]
    const watched = await context({ ...esbuildOptions, ...options, logLevel: 'silent', plugins })
    t.after(() => watched.dispose())
    const main = path('dist/main.js')
    const first = next()
    await watched.watch()
    await first
    assert.match(namedBy(main), /add = 1/)
    write('add.js', 'export const add = ((')
    await next()
    write('add.js', 'export const add = 22')
    while (!namesTasks(main) || !/add = 22/.test(namedBy(main))) await next()
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
    assert.match(main.text, /join\(__dirname, "\.\/tasks-\w+\.cjs"\)/)
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
      "threads(new URL('tasks.js', import.meta.url))",
    ])
      assert.deepEqual(found(imports + code), ['tasks.js'], code)
    for (const imported of ["await import('threadwise')", "require('threadwise')"])
      assert.deepEqual(found(`${imported}.threads(new URL('./tasks.js', import.meta.url))`), ['tasks.js'])
  })

  test('is none where the file is for another, is not there, or threadwise is not imported', () => {
    assert.deepEqual(found("threads(new URL('./tasks.js', import.meta.url))"), [])
    for (const code of [
      "new Worker(new URL('./tasks.js', import.meta.url))",
      "threads(new URL('./none.js', import.meta.url))",
      "readFile(new URL('./tasks.json', import.meta.url))",
      "threads(new URL('/tasks.js', import.meta.url))",
      "threads(new URL('file:tasks.js', import.meta.url))",
    ])
      assert.deepEqual(found(imports + code), [], code)
  })
})

describe('a task module that is for a page', () => {
  const here = join(app, 'main.js')
  /** What stands in the place of each module. */
  const replaced = (code) => {
    const found = findTaskModules(code, here)
    return replaceEach(code, found, {
      path: here,
      replacement: ({ isForPage }) => (isForPage ? 'WORKER' : 'URL'),
    }).code
  }
  const url = "new URL('./tasks.js', import.meta.url)"

  test('is found in each form, by each name of web', () => {
    for (const [imports, before, after] of [
      ["import { web } from 'threadwise/web'", `web(${url})`, 'web(WORKER)'],
      ["import { move, web } from 'threadwise/web'", `web(\n  ${url},\n)`, 'web(\n  WORKER,\n)'],
      ["import { web as run } from 'threadwise/web'", `run(${url}, { size: 2 })`, 'run(WORKER, { size: 2 })'],
      ["import * as pages from 'threadwise/web'", `pages.web(${url})`, 'pages.web(WORKER)'],
      ["const { web: run } = await import('threadwise/web')", `run(${url})`, 'run(WORKER)'],
      ["import('threadwise/web').then(({ web }) =>", `web(${url}))`, 'web(WORKER))'],
      ["import('threadwise/web').then(async (pages) =>", `pages.web(${url}))`, 'pages.web(WORKER))'],
      ["import{web as a}from'threadwise/web'", `a(${url})`, 'a(WORKER)'],
      ["import { web } from 'threadwise/web'", `web<typeof import('./tasks.js')>(${url})`, "web<typeof import('./tasks.js')>(WORKER)"], // prettier-ignore
      [
        "import { web } from 'threadwise/web'",
        `const at = ${url}\nweb(at)`,
        `const at = ${url}\nweb(WORKER)`,
      ],
    ])
      assert.equal(replaced(`${imports}\n${before}`), `${imports}\n${after}`)
  })

  test('is told from one of threads in the same file', () => {
    const imports = "import { threads } from 'threadwise'\nimport { web } from 'threadwise/web'\n"
    const both = `onServer ? threads(${url}) : web(${url})`
    assert.equal(replaced(imports + both), `${imports}onServer ? threads(URL) : web(WORKER)`)
  })

  test('is none where web is another function, is given its worker, or another URL is meant', () => {
    const imports = "import { web } from 'threadwise/web'\n"
    for (const code of [
      `web(() => new Worker(${url}, { type: 'module' }))`,
      `other.web(${url})`,
      `web(${url}.href)`,
      "web(new URL('./none.js', import.meta.url))",
      `web(make)\nnavigator.serviceWorker.register(${url})`,
    ])
      assert.equal(replaced(imports + code), imports + code)
    assert.equal(replaced(`const web = connect\nweb(${url})`), `const web = connect\nweb(${url})`)
  })
})

describe('the plugin in a page', () => {
  const page = fileURLToPath(new URL('../../../field/apps/page/by-url.js', import.meta.url))
  const nameOfWorker = (code) =>
    /new Worker\(\s*new URL\("\.\/([\w.-]+)", import\.meta\.url\)/.exec(code)?.[1]

  test('has esbuild build the worker by itself', async () => {
    const options = { entryPoints: [page], bundle: true, format: 'esm', outdir: 'out', write: false }
    const { outputFiles } = await build({ ...options, plugins: [threadwise.esbuild()], logLevel: 'error' })
    const [main, worker] = outputFiles
    assert.equal(nameOfWorker(main.text), worker.path.slice(dirname(main.path).length + 1))
    assert.match(worker.text, /a \+ b/)
    assert.doesNotMatch(main.text, /a \+ b/)
  })

  test('has Rollup write it as a chunk', async () => {
    const bundle = await rollup({ input: page, external, plugins: [threadwise.rollup()] })
    const { output } = await bundle.generate({ format: 'es', chunkFileNames: '[name]-[hash].js' })
    const worker = output.find(({ fileName }) => fileName === nameOfWorker(output[0].code))
    assert.match(worker.code, /a \+ b[^]*serve\(/)
  })

  test('writes the same file again only if it has changed', () => {
    const file = writeWorker(join(app, 'tasks.js'))
    const since = new Date(2020, 0)
    utimesSync(file, since, since)
    assert.equal(writeWorker(join(app, 'tasks.js')), file)
    assert.equal(statSync(file).mtimeMs, since.getTime())
    writeFileSync(file, '')
    writeWorker(join(app, 'tasks.js'))
    assert.match(
      readFileSync(file, 'utf8'),
      /import \* as tasks from "(\.\.\/)+field\/apps\/plain\/tasks\.js"/,
    )
  })
})
