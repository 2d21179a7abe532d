// The plugin, for each bundler: how it is told to build one more module, and how the program then names that.

import { createUnplugin, type UnpluginInstance } from 'unplugin'
import { buildWithEsbuild } from './esbuild-entries.js'
import { callFor, findTaskModules, replaceEach, withUrls, type Found } from './find-task-modules.js'
import { makeWorker, makeWorkerFrom, writeWorker } from './page-workers.js'
import { addEntries } from './webpack-entries.js'

/** What Rollup, Rolldown and Vite offer to a plugin. */
interface RollupContext {
  emitFile(file: { type: 'chunk'; id: string; preserveSignature: 'strict' }): string
  getFileName(reference: string): string
}

type Bundle = Record<string, { type: string; fileName: string; code?: string }>

/** Options of an output. */
interface Output {
  /** All modules become one file. */
  inlineDynamicImports?: boolean
  entryFileNames?: unknown
  chunkFileNames?: unknown
}

/** They build the file of `new Worker(new URL(...))` by themselves. */
const KNOW_WORKERS = new Set(['vite', 'webpack', 'rspack'])

/** Also files that hold a script, as it is written or as another plugin gives it. */
const SOURCE = /\.(?:[mc]?[jt]sx?|vue|svelte|astro|mdx)(?:$|\?)/

/** Not by import.meta.ROLLUP_FILE_URL, which Vite turns into the address for a browser. */
const likeRollup = {
  generateBundle(this: unknown, options: { format?: string }, bundle: object): void {
    const pathOf = (reference: string) => (this as RollupContext).getFileName(reference)
    const isModule = /^es/.test(options.format ?? 'es')
    for (const output of Object.values(bundle as Bundle)) {
      if (output.type !== 'chunk' || output.code === undefined) continue
      const code = withUrls(output.code, { path: output.fileName, isModule }, pathOf)
      if (code !== output.code) output.code = code
    }
  },
}

/**
 * With all in one file the task module would be the program too, which makes its pool again; Nitro builds so while it develops. And where
 * the program ends in .mjs or .cjs, by which Node knows what it is, so must the task module.
 */
function apart<Options extends Output>(options: Options): Options {
  const [ending] = /\.[mc]js$/.exec(String(options.entryFileNames)) ?? []
  const names = ending && options.chunkFileNames === undefined && { chunkFileNames: `[name]-[hash]${ending}` }
  return { ...options, ...names, inlineDynamicImports: false }
}

/**
 * Makes the plugin of each bundler: `vite()`, `rollup()`, `rolldown()`, `webpack()`, `rspack()`, `esbuild()`. None has options.
 *
 * @example
 * import threadwise from 'threadwise/unplugin'
 * export default { plugins: [threadwise.rollup()] }
 */
const plugin: UnpluginInstance<undefined> = createUnplugin((_, { framework }) => {
  const entries = addEntries()
  let hasTasks = false
  /** While Vite develops, import.meta.url names the source. */
  let isServing = false
  const rolluplike = { ...likeRollup, outputOptions: <Options extends Output>(options: Options) => (hasTasks ? apart(options) : null) } // prettier-ignore

  function replace({ file, isForPage }: Found, path: string, context: RollupContext): string {
    const emit = (id: string) => callFor(context.emitFile({ type: 'chunk', id, preserveSignature: 'strict' }))
    if (isForPage && KNOW_WORKERS.has(framework)) return makeWorkerFrom(writeWorker(file), path)
    if (isForPage) return makeWorker(emit(writeWorker(file)))
    return entries.isAttached ? entries.add(file) : emit(file)
  }

  return {
    name: 'threadwise',
    // esbuild and webpack leave no other way but one of their own.
    esbuild: { setup: buildWithEsbuild },
    webpack: (compiler) => entries.attach(compiler),
    rspack: (compiler) => entries.attach(compiler),
    rollup: rolluplike,
    rolldown: rolluplike,
    vite: {
      ...rolluplike,
      configResolved: ({ command }: { command: string }) => void (isServing = command === 'serve'),
    },
    transformInclude: (id) => SOURCE.test(id),
    transform(code, id) {
      const path = id.replace(/\?.*$/, '')
      const found = findTaskModules(code, path).filter(({ isForPage }) => isForPage || !isServing)
      if (found.length === 0) return null
      entries.findAgain(this)
      hasTasks = found.some(({ isForPage }) => !isForPage || !KNOW_WORKERS.has(framework)) || hasTasks
      return replaceEach(code, found, (place) => replace(place, path, this as unknown as RollupContext))
    },
  }
})

export default plugin
