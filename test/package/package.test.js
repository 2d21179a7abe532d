// The package as npm delivers it, used from an empty folder.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { installPackage, root, run, tryRun } from './installed.js'

const { archive, folder, installed, node, packed, remove, write } = installPackage()
after(remove)
const paths = packed.files.map(({ path }) => path)
const { exports, bin, scripts = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
write('tasks.mjs', 'export const add = (a, b) => a + b\nexport async function later(x) { return x }\n')

describe('the archive', () => {
  test('holds bundles, types and docs, and nothing else', () => {
    const allowed =
      /^(dist\/(THIRD-PARTY-LICENSES\.txt|[\w-]+\.(c?js|d\.c?ts)|(cli|lab)\/[\w/-]+\.js)|docs\/.*|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/i
    assert.deepEqual(paths.filter((path) => !allowed.test(path)), []) // prettier-ignore
    assert.ok(paths.filter((path) => path.startsWith('dist/')).length <= 125, paths.join('\n'))
    assert.ok(paths.includes('LICENSE'))
  })

  const conditions = Object.values(exports).flatMap((way) => [way.import, way.require].filter(Boolean))
  const ways = [...conditions.flatMap((way) => Object.values(way)), ...Object.values(bin)]
  for (const path of ways.map((way) => way.replace('./', '')))
    test(`holds ${path}, which users reach`, () => assert.ok(paths.includes(path)))

  test('holds the licence of each package whose code is in it', () => {
    const notices = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    const texts = paths.filter((path) => path.startsWith('dist/')).map((path) => readFileSync(join(installed, path), 'utf8')) // prettier-ignore
    const bundled = texts.flatMap((text) => [...text.matchAll(/^\/\/ .*?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm)].map(([, name]) => name)) // prettier-ignore
    assert.ok(bundled.includes('commander'))
    for (const name of new Set([...bundled, 'ws'])) assert.match(notices, new RegExp(`^${name} \\d.*\\n\\n.*(licen[cs]e|copyright|permission)`, 'ims')) // prettier-ignore
  })

  test('runs nothing when it is installed', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare']
    assert.deepEqual(hooks.filter((hook) => hook in scripts), []) // prettier-ignore
    assert.equal(existsSync(join(installed, 'binding.gyp')), false)
  })

  test('names no path of the machine that built it', () => {
    const texts = paths.filter((path) => /\.(c?js|c?ts|json)$/.test(path))
    const guilty = texts.filter((path) => readFileSync(join(installed, path), 'utf8').includes(root))
    assert.deepEqual(guilty, [])
  })

  test('brings no other package', () => {
    const { dependencies } = JSON.parse(run('npm', ['ls', '--all', '--json'], { cwd: folder }))
    assert.deepEqual(Object.keys(dependencies), ['threadwise'])
    // An optional peer that is not there is listed, without a version.
    const brought = Object.values(dependencies.threadwise.dependencies ?? {}).filter(({ version }) => version)
    assert.deepEqual(brought, [])
  })
})

const program = `
  const results = async ({ inline, concurrent, threads, processes }, url) => {
    for (const make of [inline, concurrent, threads, processes]) {
      const executor = make(url)
      console.log(executor.kind, await executor.tasks.add(1, 2), await executor.map('later', [1, 2]))
      await executor.close()
    }
  }`
const kinds = ['inline', 'concurrent', 'threads', 'processes']
const printed = kinds.map((kind) => `${kind} 3 [ 1, 2 ]\n`).join('')

describe('a program in JavaScript', () => {
  test('imports it', () => {
    const file = write(
      'program.mjs',
      `import * as threadwise from 'threadwise'
       import { task } from 'threadwise/task'
       ${program}
       await results(threadwise, new URL('./tasks.mjs', import.meta.url))
       console.log(task.worker.name, threadwise.cpuBudget().cpus > 0)`,
    )
    assert.equal(node(file), `${printed}main true\n`)
  })

  test('requires it, also where require() loads no ES module', () => {
    const file = write(
      'program.cjs',
      `const { isThreadwiseError, ...threadwise } = require('threadwise')
       ${program}
       results(threadwise, require('node:url').pathToFileURL(require.resolve('./tasks.mjs'))).then(() => {
         try { threadwise.threads('./relative.js') } catch (error) { console.log(isThreadwiseError(error), error.code) }
       })`,
    )
    const isOptional = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
    const options = isOptional ? ['--no-experimental-require-module'] : []
    assert.equal(node(...options, file), `${printed}true TW_ERR_INVALID_OPTION\n`)
  })

  test('gets the same names by import and by require', () => {
    // The plugin needs a package that only a build has.
    const ways = Object.keys(exports).filter((way) => exports[way].import && way !== './unplugin')
    const file = write(
      'names.mjs',
      `import { createRequire } from 'node:module'
       const require = createRequire(import.meta.url)
       // Of 'threadwise/piscina' require() gives a class, whose names are hidden.
       const own = /^(default|module.exports|__esModule|length|name|prototype)$/
       const names = (module) => Object.getOwnPropertyNames(module).filter((name) => !own.test(name)).sort().join()
       for (const way of ${JSON.stringify(ways)}) {
         const name = way.replace('.', 'threadwise')
         console.log(name, names(await import(name)) === names(require(name)))
       }`,
    )
    assert.equal(node(file), ways.map((way) => `${way.replace('.', 'threadwise')} true\n`).join(''))
  })

  test('that loads both has one set of contexts, classes, marks and shares of the CPU budget', () => {
    const tasks = `
      const { registerClass, defineContext, move } = require('threadwise/task')
      class Point { constructor(x) { this.x = x } }
      registerClass(Point)
      const user = defineContext('user')
      module.exports = { Point, user, see: (point) => [point instanceof Point, point.x, user.getStore()] }`
    write('both-tasks.cjs', tasks)
    const file = write(
      'both.mjs',
      `import { createRequire } from 'node:module'
       import { defineContext, threads } from 'threadwise'
       const require = createRequire(import.meta.url)
       const { Point, user } = require('./both-tasks.cjs')
       const required = require('threadwise')
       console.log(user === defineContext('user'), threads !== required.threads)
       const url = new URL('./both-tasks.cjs', import.meta.url)
       process.env.THREADWISE_CPUS = '4'
       const pools = [threads(url), required.threads(url)]
       console.log(pools.map(({ size }) => size))
       for (const pool of pools) console.log(await user.run('Ada', () => pool.tasks.see(new Point(7))))
       for (const pool of pools) await pool.close()`,
    )
    assert.equal(node(file), `true true\n[ 2, 2 ]\n${"[ true, 7, 'Ada' ]\n".repeat(2)}`)
  })

  test('does not reach into the package past its ways in', () => {
    const { stderr, status } = tryRun(process.execPath, ['-e', 'import("threadwise/dist/index.js")'], { cwd: folder }) // prettier-ignore
    assert.equal(status, 1)
    assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
    const version = node('-p', 'require("threadwise/package.json").version').trim()
    assert.equal(version, packed.version)
  })
})

test('publint finds nothing to improve', () => {
  const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js')
  assert.match(run(process.execPath, [publint, archive, '--strict'], { cwd: folder }), /All good/)
})

describe('the command line', () => {
  const threadwise = (...args) => run('npx', ['--no-install', 'threadwise', ...args], { cwd: folder })

  test('answers npx threadwise --help', () => {
    const help = threadwise('--help')
    for (const command of ['measure', 'cpus', 'lab', 'serve'])
      assert.match(help, new RegExp(`\\b${command}\\b`))
  })

  test('measures', () => {
    const args = [
      'measure',
      'tasks.mjs',
      '--task',
      'add',
      '--args',
      '[[1,2]]',
      '--rounds',
      '1',
      '--sizes',
      '1',
    ]
    const { status, stdout, stderr } = tryRun('npx', ['--no-install', 'threadwise', ...args, '--quick', '--json', '-'], { cwd: folder }) // prettier-ignore
    assert.ok([0, 3].includes(status), stderr) // 3: this machine is too busy to tell
    const { cells } = JSON.parse(stdout)
    assert.ok(cells.every(({ failed }) => failed === null), stdout) // prettier-ignore
    assert.ok(cells.length >= 3)
  })

  test('serves apps in the background, and stops them', () => {
    write('server.mjs', `import { createServer } from 'node:http'\ncreateServer().listen(0)`)
    write('bot.mjs', 'setInterval(() => {}, 1000)')
    const apps = [
      { file: 'server.mjs', name: 'web', instances: 1 },
      { file: 'bot.mjs', name: 'bot', portless: true },
    ]
    write('threadwise.config.json', JSON.stringify({ apps }))
    mkdirSync(join(folder, 'run'), { mode: 0o700 })
    const folders = [`XDG_RUNTIME_DIR=${join(folder, 'run')}`, `XDG_STATE_HOME=${join(folder, 'state')}`]
    const words = (...args) => [...folders, 'npx', '--no-install', 'threadwise', ...args]
    try {
      const said = run('env', words('serve', '--daemon'), { cwd: folder })
      assert.match(said, /^web: serves in the background.*^bot: serves in the background/ms)
      assert.equal(run('env', words('stop', 'all'), { cwd: folder }), 'bot: stopped\nweb: stopped\n')
    } finally {
      tryRun('env', words('stop', 'all'), { cwd: folder })
    }
  })
})
