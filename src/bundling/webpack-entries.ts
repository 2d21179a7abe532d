// webpack and Rspack: a task module becomes an entry of its own, with its exports as a library.
//
// Their own way with new URL() copies the file as it is, without what it imports; that of new Worker() builds an entry without exports.

import { fragmentOf, outputName, pathOfUrl, type Wanted } from './name-outputs.js'

/** What both have in common, as far as it is used here. */
interface WebpackCompiler {
  readonly context: string
  readonly options: { readonly output: { readonly module?: boolean; enabledLibraryTypes?: string[] } }
  readonly hooks: {
    readonly finishMake: { tapPromise(name: string, run: (compilation: Compilation) => Promise<void>): void }
  }
  readonly webpack: {
    readonly EntryPlugin: { createDependency(request: string, options: { name: string }): unknown }
  }
}

/** Of a plugin's transform(), as unplugin gives it. */
interface TransformContext {
  getNativeBuildContext?(): { loaderContext?: { cacheable?(isCacheable: boolean): void } } | null
}

interface Compilation {
  addEntry(context: string, dependency: unknown, options: object, done: (error?: Error | null) => void): void
}

export function addEntries() {
  /** Path of each task module that was found -> the name of its entry. */
  const names = new Map<string, string>()
  let compiler: WebpackCompiler | undefined
  const isModule = () => compiler!.options.output.module === true
  const fileOf = (name: string) => name + (isModule() ? '.mjs' : '.cjs')
  return {
    get isAttached() {
      return compiler !== undefined
    },
    /** Unknown, as the types of webpack and Rspack need not be installed. */
    attach(given: unknown): void {
      const own = given as WebpackCompiler
      compiler = own
      const type = isModule() ? 'module' : 'commonjs2'
      enableLibrary(own, type)
      own.hooks.finishMake.tapPromise('threadwise', async (compilation) => {
        // An entry may name further ones.
        const done = new Set<string>()
        while (done.size < names.size) {
          for (const [file, name] of names) {
            if (done.has(file)) continue
            done.add(file)
            const dependency = own.webpack.EntryPlugin.createDependency(file, { name })
            const options = { name, filename: fileOf(name), library: { type } }
            await addEntry(compilation, own.context, dependency, options)
          }
        }
      })
    },
    /** A module that names others is read in each build: from a cache on disk it would come without a word, and they would be missing. */
    findAgain(this: void, transform: unknown): void {
      const { loaderContext } = (transform as TransformContext).getNativeBuildContext?.() ?? {}
      loaderContext?.cacheable?.(false)
    },
    /** The expression that names the entry: the URL of the folder of the output is known to their runtime. */
    add(this: void, wanted: Wanted): string {
      const { file, kind } = wanted
      const name = outputName(file)
      names.set(file, name)
      const url = `new URL(${JSON.stringify(fileOf(name) + (kind === 'source' ? fragmentOf(wanted) : ''))}, __webpack_base_uri__)`
      return kind === 'path' ? pathOfUrl(url) : url
    },
  }
}

/** Not by EnableLibraryPlugin: in Rspack one of a plugin would look at exports before these are known, and take them for unused. */
function enableLibrary({ options: { output } }: WebpackCompiler, type: string): void {
  output.enabledLibraryTypes = [...(output.enabledLibraryTypes ?? ['...']), type]
}

function addEntry(
  compilation: Compilation,
  context: string,
  dependency: unknown,
  options: object,
): Promise<void> {
  return new Promise((resolve, reject) => {
    compilation.addEntry(context, dependency, options, (error) => (error ? reject(error) : resolve()))
  })
}
