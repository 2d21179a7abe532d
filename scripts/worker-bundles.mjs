// The code of a worker as one file that starts quickly and takes little memory.
//
//   thread-entry.cjs:  what most calls need     function $read() { what few need: streams, forks, graphs, messages of errors }
//
// Each step was measured by what two threads need until their first result (Node 24):
// - One file instead of a dozen modules: 54 instead of 66 ms, and a megabyte less.
// - CommonJS, which Node starts without its loader of ES modules: 96 instead of 99 ms of CPU time (medians of 60 runs by turns;
//   bare threads take 76).
// - What few need as a function, called when it is needed first, which V8 only skims until then; and no white space: 93 ms, and
//   0.3 MB less. Not a second file: of a task that fails as too many files are open, nobody could be told then.
// - Short names, though these lines appear in stack traces of tasks: 0.5 MB less for each thread, and 1 to 2 ms until the first
//   result. The text lies in the young generation of each worker's heap, and often was what made it collect one time more.
import { rmSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Files of which a worker gets the functions at their first call. They may export other things, which a worker cannot import. */
const SELDOM = [
  'error-messages.js',
  'protocol/fork-client.js',
  'protocol/graph-reader.js',
  'protocol/graph-writer.js',
  'protocol/serialize-error.js',
  'protocol/serve-stream.js',
]

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  minify: true,
  lineLimit: 120,
}

/** Makes DIST/ENTRY.cjs of DIST/ENTRY.js. */
export async function bundleWorker(dist, entry) {
  const met = new Set()
  await build({
    ...common,
    format: 'cjs',
    entryPoints: [`${dist}${entry}.js`],
    outfile: `${dist}${entry}.cjs`,
    plugins: [callLater(dist, met)],
    // As text: bundled with the rest, its classes would get other names wherever both halves hold one.
    footer: { js: await packed(dist) },
  })
  const unmet = SELDOM.filter((file) => !met.has(file))
  if (unmet.length > 0) throw new Error(`${entry} does not import ${unmet}`)
  for (const end of ['js', 'd.ts']) rmSync(`${dist}${entry}.${end}`)
}

/** Reads, in place of the files that few calls need, functions that call theirs. */
function callLater(dist, met) {
  const setup = (bundle) =>
    bundle.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const file = relative(dist, path).replaceAll(sep, '/')
      if (!SELDOM.includes(file)) return undefined
      met.add(file)
      return { contents: callsOf(file, await import(pathToFileURL(path).href)) }
    })
  return { name: 'call-later', setup }
}

/** Gives what the files export, by their place in the list. */
async function packed(dist) {
  const lines = SELDOM.map((file, index) => `export * as f${index} from './${file}'`)
  const { outputFiles } = await build({
    ...common,
    format: 'iife',
    globalName: 'files',
    stdin: { contents: lines.join('\n'), resolveDir: dist },
    write: false,
  })
  return `var $files
function $unpacked() { return $files ??= $read() }
function $read() { ${outputFiles[0].text} return files }`
}

function callsOf(file, exported) {
  const names = Object.keys(exported).filter((name) => isPlainFunction(name, exported[name]))
  const from = `$unpacked().f${SELDOM.indexOf(file)}`
  return names.map((name) => `export const ${name} = (...args) => ${from}.${name}(...args)`).join('\n')
}

function isPlainFunction(name, value) {
  return typeof value === 'function' && /^[a-z]/.test(name) // no class
}
