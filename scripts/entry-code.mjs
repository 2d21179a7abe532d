// Puts the text of whole programs into bundles: `import code from './x-entry.js?code'` gives x-entry.ts with all that it imports.
//
// Threads and children run such text, so the package has no file that a bundler could miss. It is made small, names too: V8 reads it in
// each worker, which takes memory for each letter.
import { basename, join, relative } from 'node:path'
import { build } from 'esbuild'

const options = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  write: false,
  logLevel: 'warning',
}

/** Of each entry, once for all bundles of a build. */
const texts = new Map()

export const entryCode = {
  name: 'entry-code',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?code$/ }, ({ path, resolveDir }) => ({
      path: relative('', join(resolveDir, path.replace('.js?code', '.ts'))), // bundles name it in a comment
      namespace: 'entry-code',
    }))
    onLoad({ filter: /./, namespace: 'entry-code' }, async ({ path }) => {
      if (!texts.has(path)) texts.set(path, textOf(path))
      return { contents: await texts.get(path), loader: 'text' }
    })
  },
}

/** An expression of a function that runs as a script and as a module: neither `require` nor `import` is there in both. */
async function textOf(path) {
  const { outputFiles } = await build({ ...options, entryPoints: [path], plugins: [entryCode] })
  const name = basename(path, '.ts') // in stack traces
  const require = 'const require=(id)=>process.getBuiltinModule(id);'
  return `//# sourceURL=threadwise:${name}\n(()=>{"use strict";${require}${outputFiles[0].text}})`
}
