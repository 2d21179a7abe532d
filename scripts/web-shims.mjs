// What the files for browsers have in place of modules that know Node: for each of them a shim, which exports the same names.
import { join, relative, sep } from 'node:path'

/** Below src/runtime/web/shims, and what each stands for. */
const SHIMS = {
  'timers.ts': 'primitives/timers.ts',
  'task-modules.ts': 'primitives/task-modules.ts',
  'node-options.ts': 'runtime/pool/node-options.ts',
  'async-scope.ts': 'runtime/task/async-scope.ts',
  'machine-clock.ts': 'runtime/wire/machine-clock.ts',
  'packet.ts': 'runtime/wire/codec/packet.ts',
  'prune.ts': 'runtime/wire/codec/prune.ts',
  'views.ts': 'runtime/wire/kinds/views.ts',
  'load-error.ts': 'runtime/core/load-error.ts',
  'task-module.ts': 'runtime/executor/task-module.ts',
  'caller-runs.ts': 'runtime/local/caller-runs.ts',
  'node-util.ts': 'node:util',
}
/** Of the table of errors each has the part that it needs. What runs anywhere may run in Node, too. */
const OF_PLACE = {
  page: { 'page-messages.ts': 'errors/error-messages.ts' },
  worker: { 'worker-messages.ts': 'errors/error-messages.ts' },
  anywhere: {
    'page-messages.ts': 'errors/error-messages.ts',
    'async-scope-anywhere.ts': 'runtime/task/async-scope.ts',
  },
}
const FOLDER = 'src/runtime/web/shims'

/** What else esbuild needs to know: `process` is ours. */
export const forBrowsers = {
  platform: 'browser',
  target: 'es2022',
  inject: [`${FOLDER}/node-process.ts`],
}

/** A plugin of esbuild, for what runs in a 'page', in a 'worker' or 'anywhere'. A module of Node that is still imported fails the build. */
export function webShims(place) {
  const all = Object.entries({ ...SHIMS, ...OF_PLACE[place] })
  const shimOf = new Map(all.map(([shim, original]) => [original, `${FOLDER}/${shim}`]))
  const absolute = (path) => ({ path: join(process.cwd(), path) })
  const setup = ({ onResolve, resolve }) => {
    onResolve({ filter: /^node:/ }, ({ path }) => shimOf.has(path) && absolute(shimOf.get(path)))
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, async ({ path, importer, pluginData, ...rest }) => {
      if (pluginData === 'resolved') return undefined
      const found = await resolve(path, { ...rest, importer, pluginData: 'resolved' })
      const original = relative('src', found.path).split(sep).join('/')
      return shimOf.has(original) ? absolute(shimOf.get(original)) : found
    })
  }
  return { name: 'web-shims', setup }
}
