// `threadwise check`: which task modules a program names, and whether workers can load them.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import threadwise from 'threadwise/unplugin'
import { testFolder } from '../helpers/files.js'
import { start } from '../helpers/program.js'

const imports = "import { threads, processes } from 'threadwise'\n"
const tasks = "console.log('loading')\nexport const add = (a, b) => a + b\n"

function folderWith(t, files) {
  const path = testFolder(t)
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
  }
  return path
}

const check = (cwd, ...args) => start(['check', ...args], { cwd }).ended

test('loads each module in what runs it, and JSON is alone on standard output', async (t) => {
  const path = folderWith(t, {
    'src/main.js': `${imports}threads(new URL('./tasks.js', import.meta.url))\nprocesses(join(__dirname, 'other.js'))`,
    'src/tasks.js': tasks,
    'src/other.js': tasks,
  })
  const { code, stdout } = await check(path(''), 'src', '--json', '-')
  assert.equal(code, 0)
  const loads = JSON.parse(stdout).modules.map(({ module, loads }) => [module, loads])
  assert.deepEqual(loads, [
    ['src/tasks.js', [{ executor: 'threads', problem: null }]],
    ['src/other.js', [{ executor: 'processes', problem: null }]],
  ])
})

test('JSON is alone whatever a module prints and by whatever way, and a module that ends its process is told', async (t) => {
  const path = folderWith(t, {
    'main.js': `${imports}threads(new URL('./raw.js', import.meta.url))\nthreads(new URL('./ends.js', import.meta.url))`,
    'raw.js':
      "import { writeSync } from 'node:fs'\nwriteSync(1, 'raw')\nexport const add = (a, b) => a + b\n",
    'ends.js': "process.kill(process.pid, 'SIGKILL')\nwhile (true);\n",
  })
  const { code, stdout } = await check(path(''), '--json', '-')
  assert.equal(code, 1)
  const [raw, ends] = JSON.parse(stdout).modules
  assert.equal(raw.loads[0].problem, null)
  assert.match(ends.loads[0].problem, /ended the process/)
})

test('folders called as files, and what is commented out after code are left alone', async (t) => {
  const path = folderWith(t, {
    'main.js': `${imports}threads(new URL('./tasks.js', import.meta.url)) // new URL('./was.js', import.meta.url)`,
    'tasks.js': tasks,
    'folder.js/readme.txt': '',
  })
  const { code, stdout } = await check(path(''), '--json', '-')
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout).modules.map(({ module }) => module), ['tasks.js']) // prettier-ignore
})

const links = process.platform === 'win32' && 'links need a right there'
test('links that lead nowhere or in a circle are left alone', { skip: links }, async (t) => {
  const path = folderWith(t, {
    'main.js': `${imports}threads(new URL('./tasks.js', import.meta.url))`,
    'tasks.js': tasks,
  })
  symlinkSync(path('nowhere'), path('broken.js'))
  symlinkSync(path(''), path('circle'))
  symlinkSync(path('itself.js'), path('itself.js'))
  const { code, stdout } = await check(path(''), '--json', '-')
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout).modules.map(({ module }) => module), ['tasks.js']) // prettier-ignore
})

test('says what is missing, what does not load, and where it is named', async (t) => {
  const path = folderWith(t, {
    'main.js': `${imports}// new URL('./comment.js', import.meta.url)\nthreads(new URL('./nothing.js', import.meta.url))\nthreads(new URL('./broken.js', import.meta.url))`,
    'broken.js': "import 'no-such-package'\n",
  })
  const { code, stdout } = await check(path(''))
  assert.equal(code, 1)
  assert.match(
    stdout,
    /^nothing\.js does not load in threads: there is no such file.*\n +named in main\.js:3$/m,
  )
  assert.match(stdout, /^broken\.js does not load in threads: .*no-such-package.*\n +named in main\.js:4$/m)
  assert.doesNotMatch(stdout, /comment\.js/)
})

test('knows the modules of a bundle, which holds threadwise itself', async (t) => {
  const path = folderWith(t, { 'src/main.js': `${imports}threads(new URL('./tasks.js', import.meta.url))`, 'src/tasks.js': tasks }) // prettier-ignore
  for (const [format, minify] of Object.entries({ esm: false, cjs: true })) {
    const alias = { threadwise: fileURLToPath(new URL('../../dist/index.js', import.meta.url)) }
    const options = { bundle: true, platform: 'node', format, minify, alias, logLevel: 'error' }
    const outExtension = format === 'cjs' ? { '.js': '.cjs' } : {}
    await build({ ...options, outExtension, entryPoints: [path('src/main.js')], outdir: path(format), plugins: [threadwise.esbuild()] }) // prettier-ignore
    const { code, stdout } = await check(path(''), format)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^\w+[\\/]tasks-\w+\.c?js: loads in threads and processes$/m)
  }
})

test('finds nothing in a folder that names none', async (t) => {
  const { code, stdout } = await check(folderWith(t, { 'main.js': 'console.log(1)' })(''))
  assert.equal(code, 1)
  assert.match(stdout, /No task module is named there/)
})
