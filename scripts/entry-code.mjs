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
    onResolve({ filter: TEXT }, ({ path, resolveDir }) => ({
      ...placeOf(path, resolveDir),
      namespace: 'entry-code',
    }))
    onLoad({ filter: /./, namespace: 'entry-code' }, async ({ path, suffix }) => {
      const name = path + suffix
      if (!texts.has(name)) texts.set(name, suffix === '?module' ? moduleOf(path) : programOf(path))
      return { contents: await texts.get(name), loader: 'js', resolveDir: process.cwd() }
    })
  },
}

const TEXT = /\?(code|module)$/

/** Relative, since bundles name it in a comment. */
function placeOf(path, resolveDir) {
  return {
    path: relative('', join(resolveDir, path.replace(/\.js\?\w+$/, '.ts'))),
    suffix: TEXT.exec(path)[0],
  }
}

/**
 * A program that starts others has their texts in its own. In the package each text stands once, so what is imported puts them together:
 *
 *   import inner0 from 'src/.../thread-entry.js?code'
 *   export default "... var code = <0> ...".replaceAll("<0>", () => JSON.stringify(inner0))
 */
async function programOf(path) {
  const inner = []
  const keepOut = {
    name: 'inner-texts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: TEXT }, ({ path, resolveDir }) => ({
        ...placeOf(path, resolveDir),
        namespace: 'inner',
      }))
      onLoad({ filter: /./, namespace: 'inner' }, ({ path, suffix }) => {
        const at = inner.push(`./${path.replace(/\.ts$/, '.js')}${suffix}`) - 1
        return { contents: `export default ${JSON.stringify(MARK(at))}`, loader: 'js' }
      })
    },
  }
  const { outputFiles } = await build({ ...options, entryPoints: [path], plugins: [keepOut] })
  const text = inner.reduce(
    (all, _, at) => all.replace(literal(at), MARK(at)),
    asFunction(outputFiles[0].text, path),
  )
  const imports = inner.map((each, at) => `import inner${at} from ${JSON.stringify(each)}\n`).join('')
  const filled = inner.map(
    (_, at) => `.replaceAll(${JSON.stringify(MARK(at))}, () => JSON.stringify(inner${at}))`,
  )
  return `${imports}export default ${JSON.stringify(text)}${filled.join('')}`
}

const MARK = (at) => `<text ${at}>`
/** As it was written, whichever quotes it got. */
const literal = (at) => new RegExp(`(["'\`])${MARK(at)}\\1`)

/** An expression of a function that runs as a script and as a module: neither `require` nor `import` is there in both. */
function asFunction(text, path) {
  const name = basename(path, '.ts') // in stack traces
  const require = 'const require=(id)=>process.getBuiltinModule(id);'
  return `//# sourceURL=threadwise:${name}\n(()=>{"use strict";${require}${text}})`
}

async function moduleOf(path) {
  const { outputFiles } = await build({
    ...options,
    format: 'esm',
    entryPoints: [path],
    plugins: [entryCode],
  })
  return `export default ${JSON.stringify(outputFiles[0].text)}`
}
