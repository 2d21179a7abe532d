// What the package exports, and the trials of a measurement, as few files: each one that is imported costs 0.5 to 0.7 ms and 33 KB of
// garbage, however small it is.
//
//   index.js    cluster-index.js   parallel-index.js ...     what only this entry needs
//      '-----------------+-----------------'
//                 chunk-HASH.js                             what several of them need: errors, the CPU limit, marks of values
//
// To import the 141 files behind index.js took 65 to 82 ms; then, in seven files, 16.2 ms, now 13.0 (Node 24, medians of 20 runs by
// turns, on a newer machine). Made small, which would save 1.2 more, it could not be read where it is debugged.
import { readFileSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

/** In a process of its own: may hold a copy of what others import. */
const TRIAL = 'measure/trial/trial-entry.js'

/** Bundles what tsc has made in `dist`, whose path ends with a slash. The files that are named there then only lead into the bundle. */
export async function bundlePackage(dist, options) {
  const { exports } = JSON.parse(readFileSync(`${dist}../package.json`, 'utf8'))
  const entries = Object.values(exports).flatMap(
    ({ types }) => types?.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1.js') ?? [],
  )
  const common = {
    ...options,
    outdir: `${dist}bundle/entries`,
    chunkNames: '[name]-[hash]',
    splitting: true,
    absWorkingDir: dist,
  }
  const shared = await sharedFiles(dist, common, entries)
  await build({ ...common, ...entriesWith(shared, dist, entries) })
  await build({ ...common, ...entriesWith([], dist, [TRIAL]) })
  for (const file of [...entries, TRIAL]) {
    const up = '../'.repeat(file.split('/').length - 1) || './'
    writeFileSync(dist + file, `export * from '${up}bundle/entries/${bundleOf(file)}.js'\n`)
  }
}

/** The files that more than one entry needs: esbuild makes a chunk for each set of entries that share some. */
async function sharedFiles(dist, common, entries) {
  const { metafile } = await build({
    ...common,
    ...entriesWith([], dist, entries),
    write: false,
    metafile: true,
  })
  const chunks = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint === undefined)
  return chunks.flatMap(({ inputs }) => Object.keys(inputs))
}

/** Entries that also load `files`: what all of them load lies in one chunk. */
function entriesWith(files, dist, entries) {
  const plugin = {
    name: 'entries',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({
        path: path.replace('entry:', './'),
        namespace: 'entry',
      }))
      onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
        contents: [...files.map((file) => `import './${file}'`), `export * from '${path}'`].join('\n'),
        resolveDir: dist,
      }))
    },
  }
  const entryPoints = Object.fromEntries(entries.map((file) => [bundleOf(file), `entry:${file}`]))
  return { entryPoints, plugins: [plugin] }
}

const bundleOf = (file) => file.replaceAll('/', '-').replace('.js', '')
