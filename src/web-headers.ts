// 'threadwise/web/headers': what users import; the comment below opens its page of the reference.

/**
 * The two headers with which a browser isolates a page. Only then may the page share memory with its workers (SharedArrayBuffer). All that the page
 * loads from other origins must allow that.
 *
 * @module threadwise/web/headers
 */

export {
  isolationConfig,
  isolationHeaders,
  isolationHook,
  isolationMiddleware,
  isolationRules,
  type IsolationHeaders,
  type IsolationOptions,
  type IsolationRule,
} from './runtime/web/isolation-headers.js'
