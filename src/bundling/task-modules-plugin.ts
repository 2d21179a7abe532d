// The plugin, for each bundler: how it is told to build one more module, and how the program then names that.

import { createUnplugin, type UnpluginInstance } from 'unplugin'
import { buildWithEsbuild } from './esbuild-entries.js'
import { callFor, findTaskModules, replaceEach, withUrls } from './find-task-modules.js'
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
const plugin: UnpluginInstance<undefined> = createUnplugin(() => {
  const entries = addEntries()
  let hasTasks = false
  const rolluplike = { ...likeRollup, outputOptions: <Options extends OneFile>(options: Options) => (hasTasks ? apart(options) : null) } // prettier-ignore
  return {
    name: 'threadwise',
    // esbuild and webpack leave no other way but one of their own.
    esbuild: { setup: buildWithEsbuild },
    webpack: (compiler) => entries.attach(compiler),
    rspack: (compiler) => entries.attach(compiler),
    rollup: rolluplike,
    rolldown: rolluplike,
    vite: { apply: 'build', ...rolluplike }, // while it develops, import.meta.url names the source
    transformInclude: (id) => SOURCE.test(id),
    transform(code, id) {
      const found = findTaskModules(code, id.replace(/\?.*$/, ''))
      if (found.length === 0) return null
      hasTasks = true
      if (entries.isAttached) return replaceEach(code, found, entries.add)
      const context = this as unknown as RollupContext
      const emit = (file: string) =>
        context.emitFile({ type: 'chunk', id: file, preserveSignature: 'strict' })
      return replaceEach(code, found, (file) => callFor(emit(file)))
    },
  }
})

export default plugin
