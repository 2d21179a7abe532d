// Builds dist/, the JavaScript that ships, and build/, each file of src/ as a module of its own for the tests. The types: types.mjs.
//
//   dist/index.js cluster.js ...   the ways in of Node; the same as .cjs for require()
//   dist/chunks/node/           what the ways in and the command line share: each module of src/ is in one file, and once more for require()
//   dist/task.js parallel.js    what runs in Node and in browsers
//   dist/web.js web-worker.js   what runs in browsers
//   dist/cli/                   the programs of the command line
//   dist/lab/                   what `threadwise lab` runs in other processes
//   dist/THIRD-PARTY-LICENSES.txt, dist/sbom.cdx.json   of the packages whose code is in all of them
//
// In dist/ code lies in another folder than its source. So src/ names a file of the package as '../../lab/tasks/idle.js', which leads to the
// same file from each folder below a wing, and from dist/chunks/node/.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { buildAndRemember as build, writeBillOfMaterials, writeNotices } from './bundled-packages.mjs'
import { entryCode } from './entry-code.mjs'
import { forBrowsers, webShims } from './web-shims.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const common = {
  ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' },
  ...{ outbase: 'src', plugins: [entryCode] },
}
/** For packages of CommonJS, which require Node's modules. */
const banner = { js: 'const require = (id) => process.getBuiltinModule(id);' }
const sources = readdirSync('src', { recursive: true })
  .map((path) => join('src', path))
  .filter((path) => /(?<!\.d)\.ts$/.test(path))
const waysIn = sources.filter((path) => dirname(path) === 'src')

/** The ways in of a service that share an engine, the other one, and the programs of the command line. */
const ENGINES = ['index', 'bullmq', 'piscina', 'measure'].map((name) => `src/${name}.ts`)
const MEASURE = 'src/measure.ts'
const CLUSTER = 'src/cluster.ts'
const PROGRAMS = [
  'main',
  'serving/serving-commands',
  'background/serve-process',
  'serving/static-server',
].map((name) => `src/cli/${name}.ts`)
/** They need little, and start in every process: nothing is shared with them. The plugin runs in a bundler. */
const ALONE = ['web-headers', 'doctor-register', 'unplugin'].map((name) => `src/${name}.ts`)
const PAGE = ['web', 'web-measure']
const WORKER = ['web-worker', 'task']
const ANYWHERE = ['parallel']
const ofNode = { ...common, outdir: 'dist', write: false, external: ['unplugin'] }

for (const folder of ['build', 'dist']) removeCode(folder) // a file that left src/ must not live on
await Promise.all([buildModules(), buildForNode(), buildAlone(), buildForBrowsers(), buildLab()])
writeNotices('dist/THIRD-PARTY-LICENSES.txt')
writeBillOfMaterials('dist/sbom.cdx.json')

function removeCode(folder) {
  mkdirSync(folder, { recursive: true })
  for (const path of readdirSync(folder, { recursive: true }))
    if (/\.c?js$/.test(path)) rmSync(join(folder, path))
}

function buildModules() {
  const plugins = [entryCode, external('own modules', /^\.\.?\/.*\.js$/)]
  return build({ ...common, entryPoints: sources, outdir: 'build', packages: 'external', plugins })
}

/**
 * esbuild makes a chunk for each set of entries that share a module, and each further file slows the import of a way in. So all that have an
 * engine import the whole of it, which is one chunk then, and `cluster` and the programs what they share with it.
 */
async function buildForNode() {
  const [engine, cluster] = await Promise.all([ENGINES[0], CLUSTER].map(modulesOf))
  const shared = engine.filter((path) => cluster.includes(path))
  const { metafile, outputFiles } = await build({
    ...ofNode,
    entryPoints: [...ENGINES, CLUSTER, ...PROGRAMS],
    plugins: [
      entryCode,
      importing(hasEngine, engine),
      importing((path) => [CLUSTER, ...PROGRAMS].includes(path), shared),
    ],
    splitting: true,
    chunkNames: 'chunks/node/[name]-[hash]',
  })
  const library = reachedBy([...ENGINES, CLUSTER], metafile.outputs)
  const ofServices = reachedBy(
    [...ENGINES, CLUSTER].filter((path) => path !== MEASURE),
    metafile.outputs,
  )
  for (const { path, text } of outputFiles) {
    const file = { path, text: withRequire(text) }
    if (ofServices.has(relative('', path))) await writeBoth(file)
    else if (library.has(relative('', path))) writeModule(file)
    else await writeProgram(file)
  }
  await writeMeasureForRequire(metafile.outputs['dist/measure.js'].exports)
  chmodSync('dist/cli/main.js', 0o755)
}

/** Those of `serve` do without: they are in each process of a service. */
function hasEngine(path) {
  return ENGINES.includes(path) || /^src.cli.(?!serving)\w+.\w+-commands\.ts$/.test(path)
}

async function modulesOf(entryPoint) {
  const { metafile } = await build({ ...ofNode, entryPoints: [entryPoint], metafile: true })
  return Object.keys(metafile.inputs).filter((path) => path.startsWith('src'))
}

/** A plugin: files that `are` also import these modules. */
function importing(are, modules) {
  const setup = ({ onLoad }) =>
    onLoad({ filter: /\bsrc[\\/].*\.ts$/ }, ({ path }) => {
      const from = relative('', path).replaceAll('\\', '/')
      if (!are(from)) return undefined
      const up = '../'.repeat(from.split('/').length - 2) || './'
      const imports = modules.map(
        (module) => `\nimport '${up}${module.slice('src/'.length, -'.ts'.length)}.js'`,
      )
      return { contents: readFileSync(path, 'utf8') + imports.join(''), loader: 'ts' }
    })
  return { name: 'importing', setup }
}

/** The outputs that these entries load. */
function reachedBy(entryPoints, outputs) {
  const reached = new Set()
  const add = (path) => {
    if (reached.has(path) || !(path in outputs)) return
    reached.add(path)
    for (const each of outputs[path].imports) add(each.path)
  }
  for (const [path, { entryPoint }] of Object.entries(outputs))
    if (entryPoints.includes(entryPoint)) add(path)
  return reached
}

/** Packages of CommonJS in an ES module require Node's modules by a function of esbuild's, which looks for a `require` that is not there. */
function withRequire(text) {
  return text.replace(
    /^var __require = [^]*?\n\}\);\n/m,
    () => 'var __require = (id) => process.getBuiltinModule(id);\n',
  )
}

/** The command line: made small, with names in stack traces. */
async function writeProgram({ path, text }) {
  const options = { format: 'esm', platform: 'node', target: 'node20', minify: true, keepNames: true }
  const { code } = await transform(text, options)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, code)
}

async function buildAlone() {
  const { outputFiles } = await build({ ...ofNode, entryPoints: ALONE })
  for (const file of outputFiles) await writeBoth(file)
}

/**
 * Each file by itself: a page and a worker are two programs. `task` and `parallel` are the same file for Node, so no bundler can choose the
 * wrong one: which conditions of `exports` it knows depends on its settings.
 */
async function buildForBrowsers() {
  const programs = [
    ['page', PAGE],
    ['worker', WORKER],
    ['anywhere', ANYWHERE],
  ]
  for (const [place, names] of programs) {
    const entryPoints = names.map((name) => `src/${name}.ts`)
    const plugins = [webShims(place)]
    const { outputFiles } = await build({ ...common, ...forBrowsers, entryPoints, plugins, outdir: 'dist', write: false }) // prettier-ignore
    for (const file of outputFiles) await writeBoth(file)
  }
}

/**
 * As an ES module, and as CommonJS beside it. `process` of what runs in browsers is ours, except where bundlers put a value in its place.
 */
async function writeBoth(file) {
  const { path } = file
  const code = writeModule(file)
  const { code: commonJs } = await transform(code, { format: 'cjs', platform: 'node', target: 'node20' })
  const requires = commonJs.replace(/require\("(\.\.?\/.*)\.js"\)/g, 'require("$1.cjs")')
  writeFileSync(path.replace(/\.js$/, '.cjs'), requires + classForRequire(path))
}

function writeModule({ path, text }) {
  const code = withoutImportsOfNode(text).replaceAll('THREADWISE_NODE_ENV', 'process.env.NODE_ENV')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, givesClass(path) ? importedClass(code) : code)
  return code
}

/**
 * Measuring is large, and all of it is asynchronous: require() gives functions that import the module when they are called. Jest takes no
 * import() in CommonJS; there Node's own require() loads it.
 */
async function writeMeasureForRequire(names) {
  const functions = names.filter((name) => name !== 'defineWorkload')
  const contents = `
    export { defineWorkload } from './measure/trial/workload.js'
    const fromJest = (error) => {
      if (!String(error?.code).startsWith('ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING')) throw error
      return process.getBuiltinModule('node:module').createRequire(__filename)('./measure.js')
    }
    const measuring = () => import('./measure.js').catch(fromJest)
    ${functions.map((name) => `export const ${name} = async (...given) => (await measuring()).${name}(...given)`).join('\n')}`
  const stdin = { contents, resolveDir: 'src', loader: 'js' }
  await build({ ...common, format: 'cjs', stdin, outfile: 'dist/measure.cjs', external: ['./measure.js'] })
}

/** require('piscina') gives the class, which has the other exports. */
function givesClass(path) {
  return basename(path) === 'piscina.js'
}

function classForRequire(path) {
  return givesClass(path) ? 'module.exports = module.exports.default;\n' : ''
}

/** And import the same class: a program may do both, and compare, or ask by instanceof. */
function importedClass(code) {
  const [, list] = /\bexport \{([^}]+)\};\s*$/.exec(code)
  const names = list.split(',').map((each) => each.trim().split(' as ').at(-1))
  const others = names.filter((name) => name !== 'default').join(', ')
  return `import piscina from './piscina.cjs';\nexport default piscina;\nexport const { ${others} } = piscina;\n`
}

/**
 * For an ES module that imports one of Node's modules Node reads each of its exports, and some load more modules then, as node:fs
 * and node:util do: that slows the import of the package.
 *
 *   before   import { a, b as c } from "node:fs";
 *   after    const { a, b: c } = process.getBuiltinModule("node:fs");    at the top: imports are there before all that runs
 */
function withoutImportsOfNode(code) {
  let taken = ''
  const rest = code.replace(/^import (\{[^}]+\}) from ("node:[\w/]+");\n/gm, (_, names, module) => {
    taken += `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule(${module});\n`
    return ''
  })
  return taken + rest
}

/** Written as a user would write it: on the ways in. */
function buildLab() {
  const isProgram = /lab.((tasks|servers).[\w-]+|\w+.[\w-]+-program|uploads.store-files)\.ts$/
  const entryPoints = sources.filter((path) => isProgram.test(path))
  const names = waysIn.map((path) => basename(path, '.ts')).join('|')
  const plugins = [entryCode, external('ways in', new RegExp(`^\\.\\./\\.\\./(${names})\\.js$`))]
  return build({ ...common, entryPoints, banner, outdir: 'dist', plugins })
}

function external(name, filter) {
  return { name, setup: ({ onResolve }) => onResolve({ filter }, ({ path }) => ({ path, external: true })) }
}
