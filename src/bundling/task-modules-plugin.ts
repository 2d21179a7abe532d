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

/** An option of an output under which all modules become one file. */
interface OneFile {
  inlineDynamicImports?: boolean
}

/** They build the file of `new Worker(new URL(...))` by themselves. */
const KNOW_WORKERS = new Set(['vite', 'webpack', 'rspack'])

const SOURCE = /\.[mc]?[jt]sx?(?:$|\?)/

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

/** With all in one file the task module would be the program too, which makes its pool again. Nitro builds so while it develops. */
function apart<Options extends OneFile>(options: Options): Options | null {
  return options.inlineDynamicImports ? { ...options, inlineDynamicImports: false } : null
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
  const rolluplike = { ...likeRollup, outputOptions: <Options extends OneFile>(options: Options) => (hasTasks ? apart(options) : null) } // prettier-ignore

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
      hasTasks = found.some(({ isForPage }) => !isForPage || !KNOW_WORKERS.has(framework)) || hasTasks
      return replaceEach(code, found, (place) => replace(place, path, this as unknown as RollupContext))
    },
  }
})

export default plugin
