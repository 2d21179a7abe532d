// The code of a worker as one file that starts quickly and takes little memory.
//
//   thread-entry.cjs:  function $read() { what few calls need: streams, forks, graphs, messages of errors }     what most need
//
// Each step was measured by what two threads need until their first result (Node 24):
// - One file instead of a dozen modules: 54 instead of 66 ms, and a megabyte less.
// - CommonJS, which Node starts without its loader of ES modules: 96 instead of 99 ms of CPU time (medians of 60 runs by turns;
//   bare threads take 76).
// - What few need as a function, called when it is needed first, which V8 only skims until then; and no white space: 93 ms, and
//   0.3 MB less. Not a second file: of a task that fails as too many files are open, nobody could be told then. It comes first: V8
//   skims it with 0.3 MB, which the rest needs after it, not besides.
// - Short names, though these lines appear in stack traces of tasks: 0.5 MB less for each thread, and 1 to 2 ms until the first
//   result. The text lies in the young generation of each worker's heap, and often was what made it collect one time more.
// - Few names: each worker's V8 keeps a table of all names, which takes 256 KB more from 10,923 of them on. Node 24 has 10,500.
import { rmSync, writeFileSync } from 'node:fs'
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
  'task/built-in.js',
  'transport/copy-buffers.js', // of threads only
]

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  minify: true,
  lineLimit: 120,
}

/** Makes DIST/ENTRY.cjs of DIST/ENTRY.js, for each entry. */
export async function bundleWorkers(dist, entries) {
  const met = await Promise.all(entries.map((entry) => bundleWorker(dist, entry)))
  const unmet = SELDOM.filter((file) => !met.some((files) => files.has(file)))
  if (unmet.length > 0) throw new Error(`no worker imports ${unmet}`)
}

/** Gives the files of the list that it has met. */
async function bundleWorker(dist, entry) {
  const met = new Set()
  const { outputFiles } = await build({
    ...common,
    format: 'cjs',
    entryPoints: [`${dist}${entry}.js`],
    plugins: [callLater(dist, met)],
    write: false,
  })
  // As text: bundled with the rest, its classes would get other names wherever both halves hold one.
  const text = `'use strict'\n${await packed(dist, met)}\n${outputFiles[0].text}`
  writeFileSync(`${dist}${entry}.cjs`, text)
  for (const end of ['js', 'd.ts']) rmSync(`${dist}${entry}.${end}`)
  return met
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

/** Gives what those of the files that were met export, by their place in the list. */
async function packed(dist, met) {
  const lines = SELDOM.map((file, index) => met.has(file) && `export * as f${index} from './${file}'`)
  const { outputFiles } = await build({
    ...common,
    format: 'iife',
    globalName: 'files',
    stdin: { contents: lines.filter(Boolean).join('\n'), resolveDir: dist },
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
