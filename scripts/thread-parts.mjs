// Which file of a thread's code goes into which part; worker-bundles.mjs says why there are parts.
//
//   part | ... | the entry | values that are no numbers | what few calls need: streams, forks, graphs, errors
//   '--- at once, by turns --'   '----- with those before it, once one of its functions is called -----'
import { relative, resolve, sep } from 'node:path'
import { build } from 'esbuild'

/**
 * Files that a call with a number does not need, in groups that are compiled at the first call of one of their functions. What else
 * they export no worker can import, but for numbers.
 */
export const LATER = [
  // Values that are no numbers, and messages.
  [
    'runtime/wire/array-keys.js',
    'runtime/wire/encode-special.js',
    'runtime/worker/reply-outbox.js',
    'runtime/worker/run-each.js',
    'runtime/shared-memory/values/decode-value.js',
    'runtime/shared-memory/values/encode-value.js',
  ],
  // What few calls need.
  [
    'errors/error-messages.js',
    'runtime/worker/call-extras.js',
    'runtime/worker/fork-client.js',
    'runtime/wire/graph-reader.js',
    'runtime/wire/graph-writer.js',
    'runtime/worker/worker-usage.js',
    'runtime/wire/serialize-error.js',
    'runtime/worker/serve-stream.js',
    'runtime/worker/worker-usage.js',
    'runtime/task/built-in.js',
    'runtime/threads/copy-buffers.js',
  ],
]

/** They import the tasks, so they get the import() of a file: text that is compiled has none of its own. */
export const ENTRY = ['runtime/task/load-task.js', 'runtime/threads/thread-entry.js']

/** Bytes after which the next part begins. */
const PART_BYTES = 8 * 1024

/**
 * Lists the files of each part, each file after those that it imports. The first `atOnce` parts are compiled at the start.
 * `options`: those of esbuild with which the parts will be made, for the bytes of each file.
 */
export async function cutIntoParts(dist, options) {
  const { inputs, bytesOf } = await readImports(dist, options)
  const files = []
  const visit = (file, isLater) => {
    if (files.includes(file) || isLater(file)) return
    for (const imported of inputs.get(file)) visit(imported, isLater)
    files.push(file)
  }
  visit(ENTRY[1], (file) => LATER.flat().includes(file))
  const early = files.filter((file) => !ENTRY.includes(file))
  const parts = [...chunks(early, bytesOf), ENTRY]
  const atOnce = parts.length
  for (const [i, group] of LATER.entries()) {
    const unmet = group.filter((file) => !inputs.has(file))
    if (unmet.length > 0) throw new Error(`no worker imports ${unmet}`)
    const before = files.length
    const evenLater = LATER.slice(i + 1).flat()
    for (const file of group) visit(file, (other) => evenLater.includes(other))
    parts.push(files.slice(before))
  }
  return { dist, files, parts, atOnce }
}

/** What each file of a thread imports, and its bytes once it is made small. */
async function readImports(dist, options) {
  const { metafile } = await build({ ...options, entryPoints: [dist + ENTRY[1]], metafile: true })
  const nameOf = (path) => relative(dist, resolve(path)).replaceAll(sep, '/')
  const importedBy = ({ imports }) =>
    imports.filter(({ external }) => !external).map(({ path }) => nameOf(path))
  const [output] = Object.values(metafile.outputs)
  const bytes = new Map(
    Object.entries(output.inputs).map(([path, { bytesInOutput }]) => [nameOf(path), bytesInOutput]),
  )
  return {
    inputs: new Map(
      Object.entries(metafile.inputs).map(([path, input]) => [nameOf(path), importedBy(input)]),
    ),
    bytesOf: (file) => bytes.get(file) ?? 0,
  }
}

function chunks(files, bytesOf) {
  const parts = [[]]
  let bytes = 0
  for (const file of files) {
    if (bytes > PART_BYTES) {
      parts.push([])
      bytes = 0
    }
    bytes += bytesOf(file)
    parts.at(-1).push(file)
  }
  return parts
}
