// The headers of isolation, in the form that each server takes.

import { checkNames, checkWord, optionNames, ownOptions } from '../../errors/check-options.js'

/** How a page is isolated. */
export interface IsolationOptions {
  /**
   * 'require-corp': files of other origins load only if they allow it, by CORS or Cross-Origin-Resource-Policy. 'credentialless': they load
   * without cookies (not in Safari, where such a page is not isolated). Default 'require-corp'.
   */
  readonly embedder?: 'require-corp' | 'credentialless'
}

/** Names and values. */
export interface IsolationHeaders {
  readonly 'Cross-Origin-Opener-Policy': 'same-origin'
  readonly 'Cross-Origin-Embedder-Policy': 'require-corp' | 'credentialless'
}

/** As Next takes it. */
export interface IsolationRule {
  readonly source: string
  readonly headers: readonly { readonly key: string; readonly value: string }[]
}

const OPTIONS = optionNames('embedder')

/**
 * The headers as an object, such as for `server.headers` and `preview.headers` of Vite. The answers that hold the page need them, and
 * those that hold its workers.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example export default defineConfig({ server: { headers: isolationHeaders() }, preview: { headers: isolationHeaders() } })
 */
export function isolationHeaders(options: IsolationOptions = {}): IsolationHeaders {
  const own = ownOptions(options)
  checkNames(own, OPTIONS)
  const { embedder = 'require-corp' } = own
  checkWord('embedder', embedder, ['require-corp', 'credentialless'])
  return { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': embedder }
}

/**
 * For Express, Connect, and other servers whose middleware has three arguments.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example app.use(isolationMiddleware())
 */
export function isolationMiddleware(options?: IsolationOptions) {
  const headers = entriesOf(options)
  return (
    _request: unknown,
    response: { setHeader(name: string, value: string): unknown },
    next: () => void,
  ): void => {
    for (const [name, value] of headers) response.setHeader(name, value)
    next()
  }
}

/**
 * For Fastify.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example app.addHook('onRequest', isolationHook())
 */
export function isolationHook(options?: IsolationOptions) {
  const headers = entriesOf(options)
  return (
    _request: unknown,
    reply: { header(name: string, value: string): unknown },
    done: () => void,
  ): void => {
    for (const [name, value] of headers) reply.header(name, value)
    done()
  }
}

/**
 * For Next: what `headers` of next.config gives. `source`: the pages, by default all.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example export default { headers: async () => isolationRules() }
 */
export function isolationRules(options?: IsolationOptions, source = '/(.*)'): IsolationRule[] {
  const headers = entriesOf(options)
  return [{ source, headers: headers.map(([key, value]) => ({ key, value })) }]
}

/**
 * For nginx: lines of a `server` or a `location`. A location with an `add_header` of its own takes none from outside: they must stand there too.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example node -e "import('threadwise/web/headers').then(({ isolationConfig }) => console.log(isolationConfig()))"
 */
export function isolationConfig(options?: IsolationOptions): string {
  const headers = entriesOf(options)
  return headers.map(([name, value]) => `add_header ${name} "${value}" always;\n`).join('')
}

function entriesOf(options: IsolationOptions | undefined): [string, string][] {
  return Object.entries({ ...isolationHeaders(options) })
}
