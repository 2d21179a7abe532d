// TypeScript that import() does not read by itself, by the loader that the program was started with.

const UNREADABLE = /^ERR_(UNKNOWN_FILE_EXTENSION|MODULE_NOT_FOUND|(UNSUPPORTED|INVALID)_TYPESCRIPT_SYNTAX)$/
const TYPESCRIPT = /^file:.*(\.[cm]?tsx?)$/

/** tsx registers its hooks in the first thread only; from Node 22 on they are those of all threads. */
export function needsTsx(url: string): boolean {
  if (!TYPESCRIPT.test(url) || !process.execArgv.some((option) => /(^|[/=])tsx($|\/)/.test(option)))
    return false
  const isShared = Number.parseInt(process.versions.node, 10) >= 22
  return !isShared && !process.getBuiltinModule('node:worker_threads').isMainThread
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
