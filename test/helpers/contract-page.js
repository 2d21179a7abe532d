// Bundles files of the contract suite, and the task modules that they name, for a page.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const tests = fileURLToPath(new URL('..', import.meta.url))
const inPlace = (name) => join(tests, 'fixtures/web/node', name)

/** What a page has in place of modules of Node, and of our own helper. */
const forPages = {
  name: 'for-pages',
  setup({ onResolve }) {
    onResolve({ filter: /^node:test$/ }, () => ({ path: inPlace('test.js') }))
    onResolve({ filter: /helpers\/executors\.js$/ }, () => ({ path: inPlace('executors.js') }))
    onResolve({ filter: /^node:assert/ }, () => ({ path: inPlace('assert.js') }))
    onResolve({ filter: /^threadwise$/ }, () => ({ path: inPlace('threadwise.js') }))
    onResolve({ filter: /^node:/ }, () => ({ path: inPlace('modules.cjs') }))
  },
}

/** Writes NAME.js, a page that runs test/contract/NAME.test.js, and a worker for each task module that it makes executors of. */
export async function buildContract(names, outdir) {
  const options = {
    ...{ bundle: true, format: 'esm', platform: 'browser', logLevel: 'error', outdir, plugins: [forPages] },
    ...{ inject: [inPlace('globals.js')], keepNames: true },
  }
  const texts = names.map((name) => readFileSync(join(tests, `contract/${name}.test.js`), 'utf8'))
  const fixtures = new Set(
    texts.flatMap((text) => [...text.matchAll(/make\('([\w-]+)\.js'/g)].map(([, name]) => name)),
  )
  const entry = (name, contents) => {
    const path = join(outdir, `${name}.entry.mjs`)
    writeFileSync(path, contents)
    return { in: path, out: name }
  }
  const pages = names.map((name) => entry(`contract-${name}`, `import '${tests}contract/${name}.test.js'\nimport { ended, results } from 'node:test'\nObject.assign(globalThis, { ended, results })\n`)) // prettier-ignore
  const workers = [...fixtures].map((name) => entry(name, `import { serve } from '${join(tests, '../dist/web-worker.js')}'\nimport * as tasks from '${tests}fixtures/tasks/${name}.js'\nserve(tasks)\n`)) // prettier-ignore
  await build({
    ...options,
    entryPoints: [...pages, ...workers],
    nodePaths: [join(tests, '../node_modules')],
  })
}
