// The package as npm delivers it, used from an empty folder.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { entryCode } from '../../scripts/entry-code.mjs'
import { linksOf } from '../docs/pages.js'
import { installPackage, root, run, tryRun } from './installed.js'

const { archive, folder, installed, node, packed, remove, write } = installPackage()
after(remove)
const paths = packed.files.map(({ path }) => path)
const { exports, bin, scripts = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
write('tasks.mjs', 'export const add = (a, b) => a + b\nexport async function later(x) { return x }\n')

describe('the archive', () => {
  test('holds bundles, types and docs, and nothing else', () => {
    const allowed =
      /^(dist\/(THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json|[\w-]+\.(c?js|d\.c?ts)|chunks\/node\/[\w-]+\.c?js|(cli|lab)\/[\w/-]+\.js)|(docs|examples)\/.*|package\.json|LICENSE|[A-Z]+\.md)$/
    assert.deepEqual(paths.filter((path) => !allowed.test(path)), []) // prettier-ignore
    assert.ok(paths.filter((path) => path.startsWith('dist/')).length <= 150, paths.join('\n'))
    const bytes = packed.files.reduce((sum, { size }) => sum + size, 0)
    assert.ok(bytes < 7_200_000, `${bytes} bytes unpacked`)
    assert.ok(paths.includes('LICENSE'))
  })

  test('has no link to a file that it does not hold', () => {
    const isHeld = (path) => paths.some((each) => each === path || each.startsWith(`${path}/`))
    const broken = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((page) => {
        const targets = linksOf(readFileSync(join(installed, page), 'utf8')).filter((target) => !/^([a-z]+:|#)/.test(target)) // prettier-ignore
        const files = targets.map((target) => join(dirname(page), target.split('#')[0]).replace(/\/$/, ''))
        return files.filter((file) => !isHeld(file)).map((file) => `${page}: ${file}`)
      })
    assert.deepEqual(broken, [])
  })

  const conditions = Object.values(exports).flatMap((way) => [way.import, way.require].filter(Boolean))
  const ways = [...conditions.flatMap((way) => Object.values(way)), ...Object.values(bin)]
  for (const path of ways.map((way) => way.replace('./', '')))
    test(`holds ${path}, which users reach`, () => assert.ok(paths.includes(path)))

  test('holds the licence of each package whose code is in it, and names it in the bill of materials', async () => {
    const read = (name) => readFileSync(join(installed, 'dist', name), 'utf8')
    const { components } = JSON.parse(read('sbom.cdx.json'))
    const named = components.map(({ name, version }) => `${name} ${version}`)
    const bundled = await packagesOf(['src/cli/main.ts'])
    assert.ok(bundled.length > 10, bundled.join())
    for (const each of bundled) {
      assert.ok(named.includes(each), `${each}, of ${named.join()}`)
      assert.match(
        read('THIRD-PARTY-LICENSES.txt'),
        new RegExp(`^${each} .*\\n\\n.*(licen[cs]e|copyright|permission)`, 'ims'),
      )
    }
    for (const { purl, licenses } of components)
      assert.match(`${purl} ${licenses[0].license.id}`, /^pkg:npm\/.+@\d\S+ [\w.-]+$/)
  })

  test('has each module once for import, and of those that a service loads once more for require', () => {
    const modulesIn = (path) =>
      new Set(readFileSync(join(installed, path), 'utf8').match(/^\/\/ src\/.*\.ts$/gm))
    const shared = /^dist\/((index|bullmq|piscina|measure|cluster)|chunks\/node\/.*)\.js$/
    const modules = paths.filter((path) => shared.test(path)).flatMap((path) => [...modulesIn(path)])
    assert.ok(modules.length > 100)
    assert.deepEqual(modules.filter((path, at) => modules.indexOf(path) !== at), []) // prettier-ignore
    const forRequire = paths.filter((path) => path.endsWith('.cjs'))
    assert.deepEqual(forRequire.filter((path) => !paths.includes(path.replace('.cjs', '.js'))), []) // prettier-ignore
  })

  test('has one file of task and of parallel for each place, so no bundler takes that of another', async () => {
    for (const name of ['task', 'parallel']) {
      assert.deepEqual(Object.keys(exports[`./${name}`]), ['import', 'require'])
      const options = { bundle: true, platform: 'neutral', format: 'iife', globalName: 'way', write: false }
      const { outputFiles } = await build({ ...options, entryPoints: [join(installed, `dist/${name}.js`)] })
      const withoutNode = createContext({ AbortController, AbortSignal, DOMException })
      const names = runInContext(`${outputFiles[0].text}\nObject.keys(way)`, withoutNode)
      assert.ok(names.includes(name === 'task' ? 'task' : 'sort'), names.join())
    }
  })

  test('gives a program that imports executors nothing of measuring and serving', () => {
    const loaded = filesOf('dist/index.js')
    assert.ok(loaded.length > 1)
    for (const path of loaded)
      assert.doesNotMatch(
        readFileSync(join(installed, path), 'utf8'),
        /^\/\/ src\/(measure|serve|lab|cli)\//m,
        path,
      )
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

/** Names and versions of the packages of which the program has code, by its sources. */
async function packagesOf(entryPoints) {
  const { metafile } = await build({ entryPoints, plugins: [entryCode], absWorkingDir: root, bundle: true, platform: 'node', format: 'esm', write: false, outdir: 'out', metafile: true }) // prettier-ignore
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs)).filter(([, { bytesInOutput }]) => bytesInOutput > 0) // prettier-ignore
  const folders = used.flatMap(([path]) => /^node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  const nameIn = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return [...new Set(folders)].map(nameIn).map(({ name, version }) => `${name} ${version}`)
}

/** The files that an ES module of the package loads, itself first. */
function filesOf(path, found = new Set()) {
  if (found.has(path)) return []
  found.add(path)
  const code = readFileSync(join(installed, path), 'utf8')
  const next = [...code.matchAll(/(?:from|^import) "(\.{1,2}\/[^"]+)"/gm)].map(([, name]) =>
    join(dirname(path), name),
  )
  return [path, ...next.flatMap((each) => filesOf(each, found))]
}

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
