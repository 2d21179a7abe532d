// The plugin, for each bundler: how it is told to build one more module, and how the program then names that.

import { createUnplugin, type UnpluginInstance } from 'unplugin'
import { buildWithEsbuild } from './esbuild-entries.js'
import { findMissing, findTaskModules, nothingThere, type FoundModule } from './find-task-modules.js'
import { callFor, fragmentOf, stemOf, withUrls } from './name-outputs.js'
import { workerCode, makeWorkerFrom, writeWorker } from './page-workers.js'
import { replaceEach } from './replace-places.js'
import { expectAgain, findBuilt, type Resolving } from './second-bundler.js'
import { serveModules, type ServedEnvironment, type ViteServer } from './serve-modules.js'
import { addEntries } from './webpack-entries.js'

/** What Rollup, Rolldown and Vite offer to a plugin. */
interface RollupContext extends Resolving {
  emitFile(file: { type: 'chunk'; id: string; name: string; preserveSignature: 'strict' }): string
  getFileName(reference: string): string
  addWatchFile(file: string): void
  /** Of Vite 6 and later. */
  readonly environment?: ServedEnvironment
}

type Served = ReturnType<typeof serveModules>

interface ViteConfig {
  readonly command: string
  readonly plugins: readonly { readonly name: string }[]
}

type Bundle = Record<string, Generated>

interface Generated {
  readonly type: string
  readonly fileName: string
  code?: string
  readonly map?: object | null
  isEntry?: boolean
}

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

/** Not by import.meta.ROLLUP_FILE_URL, which Vite turns into the address for a browser. Gives the files of the task modules. */
function nameTaskModules(context: RollupContext, options: { format?: string }, bundle: Bundle): Set<string> {
  const named = new Set<string>()
  const pathOf = (reference: string) => {
    const path = context.getFileName(reference)
    named.add(path)
    return path
  }
  const isModule = /^es/.test(options.format ?? 'es')
  for (const output of Object.values(bundle)) {
    if (output.type !== 'chunk' || output.code === undefined) continue
    const own = { path: output.fileName, isModule, isMapped: Boolean(output.map) }
    const code = withUrls(output.code, own, pathOf)
    if (code !== output.code) output.code = code
  }
  return named
}

/** Nitro 3 lets each of its services have one entry only. It bundles all again, with this plugin, and finds the task modules by their names then. */
function hideEntries(bundle: Bundle, paths: ReadonlySet<string>): void {
  for (const output of Object.values(bundle)) if (paths.has(output.fileName)) output.isEntry = false
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
  const vite = createViteState()
  const rolluplike = {
    generateBundle: {
      order: 'pre' as const,
      handler(this: unknown, options: { format?: string }, bundle: object): void {
        const named = nameTaskModules(this as RollupContext, options, bundle as Bundle)
        if (vite.isForNitro) hideEntries(bundle as Bundle, named)
      },
    },
    outputOptions: <Options extends Output>(options: Options) => (hasTasks ? apart(options) : null),
  }

  const replace = (place: FoundModule, path: string, context: RollupContext): string => {
    if (place.isForPage && KNOW_WORKERS.has(framework)) return makeWorkerFrom(writeWorker(place.file), path)
    if (place.isForPage) return workerCode(emit({ ...place, file: writeWorker(place.file) }, context))
    if (vite.served) return vite.served.expressionOf(place, context)
    if (entries.isAttached) return entries.add(place)
    if (vite.isForNitro && place.fragment === undefined) expectAgain(fragmentOf(place))
    return emit(place, context)
  }

  return {
    name: 'threadwise',
    // esbuild and webpack leave no other way but one of their own.
    esbuild: { setup: buildWithEsbuild },
    webpack: (compiler) => entries.attach(compiler),
    rspack: (compiler) => entries.attach(compiler),
    rollup: rolluplike,
    rolldown: rolluplike,
    vite: { ...rolluplike, ...vite.hooks },
    transformInclude: (id) => SOURCE.test(id),
    async transform(code, id) {
      const path = id.replace(/\?.*$/, '')
      const context = this as unknown as RollupContext
      const found = await findAll(code, id, {
        path,
        context,
        served: vite.served,
        isLikeRollup: !entries.isAttached,
      })
      for (const { name } of findMissing(code, path)) this.warn(`${path}: ${nothingThere(name)}`)
      if (found.length === 0) return null
      entries.findAgain(this)
      hasTasks = found.some(({ isForPage }) => !isForPage || !KNOW_WORKERS.has(framework)) || hasTasks
      return replaceEach(code, found, { path, replacement: (place) => replace(place, path, context) })
    },
  }
})

/** What only Vite tells. */
function createViteState() {
  const state = {
    isForNitro: false,
    /** While it develops, it makes of a module what the build would, when it is asked for it. */
    served: undefined as Served | undefined,
    hooks: {
      configResolved({ command, plugins }: ViteConfig) {
        state.served = command === 'serve' ? serveModules() : undefined
        state.isForNitro = plugins.some(({ name }) => /\bnitro\b/.test(name))
      },
      configureServer: (server: unknown) => state.served?.attach(server as ViteServer),
      hotUpdate: ({ modules }: { modules: readonly object[] }) => state.served?.onChange(modules),
    },
  }
  return state
}

interface Finding {
  readonly path: string
  readonly context: RollupContext
  readonly served: Served | undefined
  readonly isLikeRollup: boolean
}

async function findAll(
  code: string,
  id: string,
  { path, context, served, isLikeRollup }: Finding,
): Promise<FoundModule[]> {
  const isWanted = ({ isForPage }: FoundModule) => isForPage || !served || served.isFor(context)
  const built = isLikeRollup ? await findBuilt(code, id, context) : []
  return [...findTaskModules(code, path).filter(isWanted), ...built].sort(
    (one, other) => one.start - other.start,
  )
}

/** As a chunk, which other files name by what it gives. */
function emit(place: FoundModule, context: RollupContext): string {
  const { file: id } = place
  const reference = context.emitFile({ type: 'chunk', id, name: stemOf(id), preserveSignature: 'strict' })
  return callFor(reference, place)
}

export default plugin
