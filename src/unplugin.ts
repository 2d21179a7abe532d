// 'threadwise/unplugin': what the configuration of a bundler imports; the comment below opens its page of the reference.

/**
 * A plugin for Vite, Rollup, Rolldown, webpack, Rspack and esbuild. In each module that imports threadwise it finds
 * `new URL('./tasks.js', import.meta.url)`, and builds that file as a module of its own beside the bundle. What `web` of `threadwise/web` is
 * given so becomes a worker. Needs the package `unplugin` as a development dependency.
 *
 * @example
 * import threadwise from 'threadwise/unplugin'
 * export default { plugins: [threadwise.vite()] } // or rollup, rolldown, webpack, rspack, esbuild
 *
 * @module unplugin
 */

export { default } from './bundling/task-modules-plugin.js'
