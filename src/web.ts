// 'threadwise/web': what users import; the comment below opens its page of the reference.

/**
 * The same tasks in the browser, on Web Workers. Nothing of Node is in it; where pages are rendered on a server it can be imported, and calls reject.
 *
 * @example
 * import { web } from 'threadwise/web'
 * const pool = web(() => new Worker(new URL('./tasks.worker.js', import.meta.url), { type: 'module' }))
 * const html = await pool.tasks.render(data)
 * // tasks.worker.js:
 * // import { serve } from 'threadwise/web/worker'
 * // import * as tasks from './tasks.js'
 * // serve(tasks)
 *
 * @module threadwise/web
 */

export { web, type WebOptions } from './runtime/web/web-executor.js'
export type { WebWorker } from './runtime/web/browser.js'
export { callback } from './runtime/task/callback.js'
export { move } from './runtime/task/move.js'
export { registerClass, type ClassLike, type ClassOptions } from './runtime/task/register-class.js'
export { isThreadwiseError, ThreadwiseError, type ErrorCode } from './errors/errors.js'
