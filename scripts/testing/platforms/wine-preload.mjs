// What Wine has no other way to do, for test files: nothing of it reaches the programs that they start.
import { request } from 'node:http'
import { registerHooks } from 'node:module'

/** Programs of Windows that need what Wine 8 has not (bcryptprimitives.dll, the runtime of Visual C++): the same in WebAssembly, from C:\npm. */
const inWebAssembly = { esbuild: 'esbuild-wasm', rollup: '@rollup/wasm-node' }

registerHooks({
  resolve: (name, context, next) =>
    Object.hasOwn(inWebAssembly, name)
      ? next(inWebAssembly[name], { ...context, parentURL: 'file:///C:/npm/package.json' })
      : next(name, context),
})

/** The fetch of Node connects to nobody ("connect UNKNOWN"), but its http does. */
globalThis.fetch = (url, { method = 'GET', headers, body, signal } = {}) =>
  new Promise((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(new Headers(headers)), signal }
    const sent = request(url, options, (answer) => {
      const isEmpty = [204, 205, 304].includes(answer.statusCode)
      resolve(
        new Response(isEmpty ? null : ReadableStream.from(answer), {
          status: answer.statusCode,
          headers: Object.entries(answer.headers).flatMap(([key, value]) => [value].flat().map((each) => [key, each])), // prettier-ignore
        }),
      )
    })
    sent.on('error', (cause) => reject(new TypeError('fetch failed', { cause })))
    sent.end(body)
  })
