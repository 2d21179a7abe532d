// 'threadwise/web/worker': what users import; the comment below opens its page of the reference.

/**
 * What the file of a Web Worker needs.
 *
 * @module threadwise/web/worker
 */

export { serve } from './runtime/web/serve-tasks.js'
