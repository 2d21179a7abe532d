// Builds dist/, the JavaScript that ships, and build/, each file of src/ as a module of its own for the tests. The types: types.mjs.
//
//   dist/index.js task.js ...   the ways in, and what they share; the same as .cjs for require()
//   dist/web.js web-worker.js   what runs in browsers; web-task.js and web-parallel.js are task.js and parallel.js there
//   dist/cli/                   the command line, with its packages
//   dist/lab/                   what `threadwise lab` runs in other processes
//   dist/THIRD-PARTY-LICENSES.txt   of the packages in all of them
//
// In dist/ code lies in another folder than its source. So src/ names a file of the package as '../../lab/tasks/idle.js', which leads to the
// same file from each folder below a wing.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { buildAndRemember as build, writeNotices } from './bundled-packages.mjs'
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

for (const folder of ['build', 'dist']) removeCode(folder) // a file that left src/ must not live on
await Promise.all([buildModules(), buildPackage(), buildCommandLine(), buildLab()])
writeNotices('dist/THIRD-PARTY-LICENSES.txt')

function removeCode(folder) {
  mkdirSync(folder, { recursive: true })
  for (const path of readdirSync(folder, { recursive: true }))
    if (/\.c?js$/.test(path)) rmSync(join(folder, path))
}

function buildModules() {
  const plugins = [entryCode, external('own modules', /^\.\.?\/.*\.js$/)]
  return build({ ...common, entryPoints: sources, outdir: 'build', packages: 'external', plugins })
}

async function buildPackage() {
  const options = { ...common, outdir: 'dist', write: false, external: ['unplugin'] }
  const others = waysIn.filter((path) => !isForBrowsers(path))
  const together = { ...options, entryPoints: others.filter((path) => !standsAlone(path)), splitting: true }
  const { metafile } = await build({ ...together, metafile: true })
  const chunks = Object.values(metafile.outputs).filter(({ entryPoint }) => !entryPoint)
  const shared = chunks.flatMap(({ inputs }) => Object.keys(inputs))
  const [ways, alone, page, worker] = await Promise.all([
    build({ ...together, plugins: [entryCode, importedByAll(shared)] }),
    build({ ...options, entryPoints: others.filter(standsAlone) }),
    buildForBrowsers('page', ['web', 'web-measure', 'parallel']),
    buildForBrowsers('worker', ['web-worker', 'task']),
  ])
  await writeBoth([ways, alone, page, worker].flatMap(({ outputFiles }) => outputFiles))
}

function isForBrowsers(path) {
  return /^web(-worker|-measure)?\.ts$/.test(basename(path))
}

/** Each file by itself: a page and a worker are two programs. */
function buildForBrowsers(place, names) {
  const entryPoints = names.map((name) => ({ in: `src/${name}.ts`, out: name.replace(/^(?!web)/, 'web-') }))
  const plugins = [webShims(place)]
  return build({ ...common, ...forBrowsers, entryPoints, plugins, outdir: 'dist', write: false })
}

/**
 * It shares almost all that the main way in has. In a common chunk that would slow the import of each other way in, and so the start of
 * workers; what must be there once is found through `globalThis` (primitives/shared-state.ts). The plugin, which no program loads, would make
 * each of them load one more.
 */
function standsAlone(path) {
  return /^(bullmq|piscina|web-headers|doctor-register|unplugin)\.ts$/.test(basename(path))
}

/** As ES modules, and as CommonJS beside them. */
/** `process` of what runs in browsers is ours, except where bundlers put a value in its place. */
async function writeBoth(outputFiles) {
  for (const { path, text } of outputFiles) {
    const code = withoutImportsOfNode(text).replaceAll('THREADWISE_NODE_ENV', 'process.env.NODE_ENV')
    writeFileSync(path, givesClass(path) ? importedClass(code) : code)
    const { code: commonJs } = await transform(code, { format: 'cjs', platform: 'node', target: 'node20' })
    const requires = commonJs.replace(/require\("(\.\/.*)\.js"\)/g, 'require("$1.cjs")')
    writeFileSync(path.replace(/\.js$/, '.cjs'), requires + classForRequire(path))
  }
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
 * So that what several ways in need becomes one chunk: otherwise each set of them has its own, and each further file slows the import.
 * Not for the plugin, which shares nothing.
 */
function importedByAll(files) {
  const imports = files.map((file) => `\nimport './${file.replace(/^src.(.*)\.ts$/, '$1.js')}'`).join('')
  const setup = ({ onLoad }) =>
    onLoad({ filter: /\bsrc[\\/]\w+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8') + (basename(path) === 'unplugin.ts' ? '' : imports),
      loader: 'ts',
    }))
  return { name: 'imported-by-all', setup }
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

async function buildCommandLine() {
  const names = ['main', 'serving/serving-commands', 'background/serve-process', 'serving/static-server']
  const entryPoints = names.map((name) => `src/cli/${name}.ts`)
  const files = { outdir: 'dist', splitting: true, chunkNames: 'cli/chunks/[name]-[hash]' }
  await build({ ...common, entryPoints, banner, ...files })
  chmodSync('dist/cli/main.js', 0o755)
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
