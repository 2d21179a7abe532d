// threadwise/unplugin: places that name a task module in other words, and files of other names.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { rollup } from 'rollup'
import threadwise from 'threadwise/unplugin'
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping'
import { testFolder } from '../../helpers/files.js'

const imports = "import { threads } from 'threadwise'\n"
const tasks = 'export const add = (a, b) => a + b\n'

function write(path, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
  }
}

/** Builds `src/main.js` of a folder, and gives the path of the program. Warnings are collected. */
const bundlers = {
  async esbuild(path, { format = 'esm', warnings = [], ...more } = {}) {
    const own = { bundle: true, platform: 'node', packages: 'external', logLevel: 'silent', sourcemap: true }
    const options = { ...own, entryPoints: [path('src/main.js')], outdir: path('dist'), format, ...more }
    const result = await build({ ...options, plugins: [threadwise.esbuild()] })
    warnings.push(...result.warnings.map(({ text, location }) => `${location.line}: ${text}`))
    return path(more.entryNames ? 'dist/deep/main.js' : 'dist/main.js')
  },
  async Rollup(path, { format = 'es', warnings = [] } = {}) {
    const onwarn = ({ message, code }) => code !== 'MISSING_NODE_BUILTINS' && warnings.push(message)
    const bundle = await rollup({ input: path('src/main.js'), external: /^(threadwise|node:)/, onwarn, plugins: [threadwise.rollup()] }) // prettier-ignore
    await bundle.write({ dir: path('dist'), format: format.replace('esm', 'es'), sourcemap: true })
    return path('dist/main.js')
  },
}

/** The files that the program names. */
function namedBy(program) {
  const code = readFileSync(program, 'utf8')
  const urls = [...code.matchAll(/new URL\(["'`](\.[^"'`]+)["'`],\s*import\.meta\.url\)/g)]
  const paths = [...code.matchAll(/join\(__dirname, ["'`]([^"'`]+)["'`]/g)]
  return [
    ...urls.map(([, url]) => fileURLToPath(new URL(url, pathToFileURL(program)))),
    ...paths.map(([, way]) => join(dirname(program), way)),
  ]
}

for (const [bundler, bundle] of Object.entries(bundlers))
  describe(bundler, () => {
    for (const format of ['esm', 'cjs'])
      for (const name of [
        '@tasks',
        '+tasks',
        '[id]',
        '(group)',
        '{x}',
        'ärger',
        '日本',
        "it's",
        '100%',
        'a#b',
        'a b',
        '$tasks',
        '-x',
      ])
        test(`builds ${name}.js (${format})`, async (t) => {
          const path = testFolder(t)
          const url = encodeURIComponent(name)
          write(path, {
            'src/main.js': `${imports}threads(new URL("./${url}.js", import.meta.url))`,
            [`src/${name}.js`]: tasks,
          })
          const program = await bundle(path, { format })
          const [file, ...others] = namedBy(program)
          assert.deepEqual(others, [])
          assert.match(readFileSync(file, 'utf8'), /a \+ b/)
        })

    test('builds what a name without encoding means', async (t) => {
      const path = testFolder(t)
      write(path, {
        'src/main.js': `${imports}threads(new URL("./it's ärger.js", import.meta.url))`,
        "src/it's ärger.js": tasks,
      })
      assert.equal(existsSync(namedBy(await bundle(path))[0]), true)
    })

    test('knows the source of the name that a build would write', async (t) => {
      const path = testFolder(t)
      const sources = { './a.js': 'a.ts', './b.js': 'b.tsx', './c.js': 'c.jsx', './d.mjs': 'd.mts', './e.mjs': 'e.ts', './f.cjs': 'f.cts' } // prettier-ignore
      const named = Object.keys(sources).map((name) => `threads(new URL('${name}', import.meta.url))\n`)
      const files = Object.values(sources).map((name) => [`src/${name}`, tasks])
      write(path, { 'src/main.js': imports + named.join(''), ...Object.fromEntries(files) })
      assert.equal(namedBy(await bundle(path)).filter((file) => existsSync(file)).length, 6)
    })

    test('knows the module of a name without an ending, and leaves alone what is another file, a folder, or nothing', async (t) => {
      const path = testFolder(t)
      const named = ['./a', './deep/b.tasks', './c.worker', './both', './logo.png', './styles.css', './public', './nothing'] // prettier-ignore
      const urls = named.map((name) => `threads(new URL('${name}', import.meta.url))\n`).join('')
      write(path, {
        'src/main.js': `${imports}import { join } from 'node:path'\n${urls}threads(join(__dirname, 'd'))\n`,
        ...{ 'src/a.ts': tasks, 'src/deep/b.tasks.ts': tasks, 'src/c.worker.js': tasks, 'src/d.mts': tasks },
        ...{ 'src/both.ts': tasks, 'src/both/index.ts': tasks },
        ...{ 'src/logo.png': '', 'src/styles.css.ts': tasks, 'src/public/index.js': tasks },
      })
      const warnings = []
      const program = await bundle(path, { warnings })
      assert.equal(namedBy(program).filter((file) => existsSync(file)).length, 5)
      const code = readFileSync(program, 'utf8')
      for (const name of ['./logo.png', './styles.css', './public', './nothing']) assert.match(code, new RegExp(`URL\\(["']${name}["']`)) // prettier-ignore
      assert.deepEqual(warnings.filter((text) => /There is no file/.test(text)), []) // prettier-ignore
    })

    for (const format of ['esm', 'cjs'])
      test(`builds what is named by its path (${format})`, async (t) => {
        const path = testFolder(t)
        const forms = ["join(__dirname, 'tasks.js')", "path.resolve(__dirname, 'deep', 'other.js')", '`${__dirname}/third.js`', "__dirname + '/fourth.js'", "(0, path.join)(__dirname, 'fifth.js')"] // prettier-ignore
        const code = forms.map((form) => `threads(${form})\n`).join('')
        const files = ['tasks', 'deep/other', 'third', 'fourth', 'fifth'].map((name) => [
          `src/${name}.js`,
          tasks,
        ])
        write(path, { 'src/main.js': `${imports}import path, { join } from 'node:path'\n${code}`, ...Object.fromEntries(files) }) // prettier-ignore
        const found = namedBy(await bundle(path, { format })).filter((file) => existsSync(file))
        assert.equal(new Set(found).size, 5)
      })

    test('builds what is named from the folder that an ES module has made for itself', async (t) => {
      const path = testFolder(t)
      const code = `${imports}import { dirname, join } from 'node:path'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
const here = dirname(fileURLToPath(import.meta.url));
const $root = fileURLToPath(new URL('.', import.meta.url))
threads(join(here, 'a.js'))
threads(\`\${$root}/b.js\`)
threads(join(dirname(fileURLToPath(import.meta.url)), 'deep', 'c'))
threads(path.join(path.dirname(fileURLToPath(import.meta.url)), 'd.js'))
threads(join(there.here, 'e.js'))
`
      const files = ['a', 'b', 'deep/c', 'd', 'e'].map((name) => [`src/${name}.js`, tasks])
      write(path, { 'src/main.js': code, ...Object.fromEntries(files) })
      const found = namedBy(await bundle(path)).filter((file) => existsSync(file) && !file.endsWith('/dist'))
      assert.equal(new Set(found).size, 4)
    })

    for (const format of ['esm', 'cjs'])
      test(`builds what is named by what resolves it, and leaves packages alone (${format})`, async (t) => {
        const path = testFolder(t)
        const forms = ["require.resolve('./a')", 'require.resolve("./deep/b.js")', ...(format === 'esm' ? ["import.meta.resolve('./c.js')"] : [])] // prettier-ignore
        write(path, {
          'src/main.js': `${imports}${forms.map((form) => `threads(${form})\n`).join('')}console.log(require.resolve('rollup'))\n`,
          ...{ 'src/a.ts': tasks, 'src/deep/b.js': tasks, 'src/c.js': tasks },
        })
        const program = await bundle(path, { format, external: ['rollup'] })
        assert.equal(namedBy(program).filter((file) => existsSync(file)).length, forms.length)
        const code = readFileSync(program, 'utf8')
        assert.match(code, /require2?\.resolve\(["']rollup["']\)/)
        if (format === 'esm') assert.match(code, /import\.meta\.url\)\s*\.href/)
      })

    test('warns of a name that no file has', async (t) => {
      const path = testFolder(t)
      write(path, {
        'src/main.js': `${imports}\n// threads(new URL('./example.js', import.meta.url))\nthreads(new URL('./taks.js', import.meta.url))`,
        'src/tasks.js': tasks,
      })
      const warnings = []
      await bundle(path, { warnings })
      assert.equal(warnings.length, 1)
      assert.match(warnings[0], /There is no file \.\/taks\.js/)
    })

    for (const [where, options] of Object.entries({
      'beside the program': {},
      ...(bundler === 'esbuild' && { 'for a program in a folder': { entryNames: 'deep/[name]' } }),
    }))
      test(`keeps the source map right ${where}`, async (t) => {
        const path = testFolder(t)
        const call = `threads(\n  new URL(\n    './tasks.js',\n    import.meta.url,\n  ),\n); console.log('here')`
        write(path, { 'src/main.js': `${imports}${call}\n\nconsole.log('there')\n`, 'src/tasks.js': tasks })
        const warnings = []
        const program = await bundle(path, { warnings, ...options })
        assert.deepEqual(warnings, [])
        const map = new TraceMap(readFileSync(`${program}.map`, 'utf8'))
        const lines = readFileSync(program, 'utf8').split('\n')
        const placeOf = (text) => {
          const line = lines.findIndex((each) => each.includes(text))
          return originalPositionFor(map, { line: line + 1, column: lines[line].indexOf('console.log') }).line
        }
        assert.deepEqual([placeOf('here'), placeOf('there')], [7, 9])
      })
  })
