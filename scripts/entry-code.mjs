// Puts the text of whole programs into bundles: `import code from './x-entry.js?code'` gives x-entry.ts with all that it imports.
//
// Threads and children run such text, so the package has no file that a bundler could miss. It is made small, names too: V8 reads it in
// each worker, which takes memory for each letter. `?module` instead of `?code` gives the text of a module, with its exports.
import { basename, join, relative } from 'node:path'
import { buildAndRemember as build } from './bundled-packages.mjs'

const options = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  write: false,
  logLevel: 'warning',
}

/** Of each entry, by the import that names it: once for all bundles of a build. */
const texts = new Map()

export const entryCode = {
  name: 'entry-code',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?(code|module)$/ }, ({ path, resolveDir }) => ({
      path: relative('', join(resolveDir, path.replace(/\.js\?\w+$/, '.ts'))), // bundles name it in a comment
      suffix: /\?\w+$/.exec(path)[0],
      namespace: 'entry-code',
    }))
    onLoad({ filter: /./, namespace: 'entry-code' }, async ({ path, suffix }) => {
      const name = path + suffix
      if (!texts.has(name)) texts.set(name, suffix === '?module' ? moduleOf(path) : textOf(path))
      return { contents: await texts.get(name), loader: 'text' }
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

async function moduleOf(path) {
  const { outputFiles } = await build({
    ...options,
    format: 'esm',
    entryPoints: [path],
    plugins: [entryCode],
  })
  return outputFiles[0].text
}
