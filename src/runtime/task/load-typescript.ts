// TypeScript that import() does not read by itself, by the loader that the program was started with.

const UNREADABLE = /^ERR_(UNKNOWN_FILE_EXTENSION|MODULE_NOT_FOUND|(UNSUPPORTED|INVALID)_TYPESCRIPT_SYNTAX)$/
const TYPESCRIPT = /^file:.*(\.[cm]?tsx?)$/

/** tsx registers its hooks in the first thread only; from Node 22 on they are those of all threads. */
export function needsTsx(url: string): boolean {
  if (!TYPESCRIPT.test(url) || !byTsx()) return false
  const isShared = Number.parseInt(process.versions.node, 10) >= 22
  return !isShared && !process.getBuiltinModule('node:worker_threads').isMainThread
}

/** Its import() reads all that its require() reads. */
function byTsx(): boolean {
  return process.execArgv.some((option) => /(^|[/=])tsx($|\/)/.test(option))
}

/** To be called before the first import() of a file: Node remembers that it could not be read. */
export async function registerTsx(url: string): Promise<void> {
  const { createRequire } = process.getBuiltinModule('node:module')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  const ofUser = createRequire(url)
  // Beside it: what require() finds fails in a thread.
  const api = new URL('./index.mjs', pathToFileURL(ofUser.resolve('tsx/esm/api')))
  const { register } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ api.href)) as Tsx
  register()
  ;(ofUser('tsx/cjs/api') as Tsx).register() // a file of a package of CommonJS is loaded by require()
}

interface Tsx {
  register(this: void): void
}

/**
 * A loader of CommonJS (--require ts-node/register) reads this file in the program, where require() loads it: one of a package that is no package
 * of ES modules. From Node 22.18 on import() would read it too, as an ES module, in which there is no `require` and types are imported as values.
 */
export function isForRequire(url: string): boolean {
  const [extension] = TYPESCRIPT.exec(url)?.slice(1) ?? []
  if (extension === undefined || extension === '.mts' || byTsx() || !hasLoader(extension)) return false
  return extension === '.cts' || !isInModulePackage(url)
}

/** Node's own is no loader: what it can do, import() can. */
function hasLoader(extension: string): boolean {
  const { _extensions: loaders } = process.getBuiltinModule('node:module') as unknown as Loaders
  const own = Object.hasOwn(loaders, extension) ? loaders[extension] : undefined
  return own !== undefined && own.name !== 'loadTS' && own.name !== 'loadCTS'
}

interface Loaders {
  readonly _extensions: Readonly<Record<string, { readonly name: string }>>
}

/** By the nearest package.json, as Node decides it. */
function isInModulePackage(url: string): boolean {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
  let file = new URL('./package.json', url)
  for (let before = ''; file.href !== before; file = new URL('../package.json', file)) {
    before = file.href
    if (!existsSync(file)) continue
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type === 'module'
    } catch {
      return false
    }
  }
  return false
}

/** Undefined: only import() can load it. @throws what the file throws */
export function requireFile(url: string): object | undefined {
  const { createRequire } = process.getBuiltinModule('node:module')
  try {
    return createRequire(url)(process.getBuiltinModule('node:url').fileURLToPath(url)) as object
  } catch (error) {
    const { code } = Object(error) as { code?: unknown }
    if (code === 'ERR_REQUIRE_ESM' || code === 'ERR_REQUIRE_ASYNC_MODULE') return undefined
    throw error
  }
}

/** By a loader of CommonJS, which import() does not ask: --require ts-node/register. `error`: what import() says. @throws that error */
export function requireTypeScript(url: string, error: unknown): object {
  const { code } = Object(error) as { code?: unknown }
  const [extension] = TYPESCRIPT.exec(url)?.slice(1) ?? []
  if (extension === undefined || typeof code !== 'string' || !UNREADABLE.test(code)) throw error
  const require = process.getBuiltinModule('node:module').createRequire(url)
  if (!(extension in require.extensions)) throw error
  try {
    return require(process.getBuiltinModule('node:url').fileURLToPath(url)) as object
  } catch {
    throw error // the loader of Node itself may stand there, which can do no more
  }
}
