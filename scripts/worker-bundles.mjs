// The code of a worker as one file that starts quickly and takes little memory.
//
//   thread-entry.cjs:  what most calls need     function unpack() { what few need: streams, forks, graphs, messages of errors }
//
// Each step was measured by what two threads need until their first result (Node 24):
// - One file instead of a dozen modules: 54 instead of 66 ms, and a megabyte less.
// - CommonJS, which Node starts without its loader of ES modules: 96 instead of 99 ms of CPU time (medians of 60 runs by turns;
//   bare threads take 76).
// - What few need as a function, called when it is needed first, which V8 only skims until then; and no white space: 93 ms, and
//   0.3 MB less. Not a second file: of a task that fails as too many files are open, nobody could be told then.
import { rmSync } from 'node:fs'
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
  // Names stay: these lines appear in stack traces of tasks.
  minifyWhitespace: true,
  lineLimit: 120,
}

/** Makes DIST/ENTRY.cjs of DIST/ENTRY.js. */
export async function bundleWorker(dist, entry) {
  await build({
    ...common,
    format: 'cjs',
    entryPoints: [`${dist}${entry}.js`],
    outfile: `${dist}${entry}.cjs`,
    plugins: [unpackLater(dist)],
  })
  for (const end of ['js', 'd.ts']) rmSync(`${dist}${entry}.${end}`)
}

function unpackLater(dist) {
  return {
    name: 'unpack-later',
    setup(bundle) {
      const filter = new RegExp(`/(${SELDOM.join('|').replaceAll('.', '\\.')})$`)
      bundle.onResolve({ filter: /^seldom$/ }, () => ({ path: 'seldom', namespace: 'seldom' }))
      bundle.onLoad({ filter: /^seldom$/, namespace: 'seldom' }, async () => ({
        contents: await packed(dist),
      }))
      bundle.onLoad({ filter }, async ({ path }) => ({ contents: await callers(path, dist) }))
    },
  }
}

/** A module whose unpack() gives what the files export. */
async function packed(dist) {
  const lines = SELDOM.map((file, index) => `export * as f${index} from './${file}'`)
  const { outputFiles } = await build({
    ...common,
    format: 'iife',
    globalName: 'files',
    stdin: { contents: lines.join('\n'), resolveDir: dist },
    write: false,
  })
  return `let unpacked
export function unpack() { return unpacked ??= read() }
function read() { ${outputFiles[0].text} return files }`
}

/** A module with the functions of a file. */
async function callers(path, dist) {
  const index = SELDOM.indexOf(path.slice(dist.length))
  const names = Object.entries(await import(path)).filter(([name, value]) => isPlainFunction(name, value))
  const lines = names.map(
    ([name]) => `export const ${name} = (...args) => unpack().f${index}.${name}(...args)`,
  )
  return [`import { unpack } from 'seldom'`, ...lines].join('\n')
}

function isPlainFunction(name, value) {
  return typeof value === 'function' && /^[a-z]/.test(name) // no class
}
