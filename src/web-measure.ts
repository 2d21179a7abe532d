// 'threadwise/web/measure': what users import; the comment below opens its page of the reference.

/**
 * Measures in the page whether workers are worth it: how much faster they are, and how long the page stands still.
 *
 * @module threadwise/web/measure
 */

export {
  measure,
  type PageMeasurement,
  type PageMeasureOptions,
  type PageWay,
} from './measure/page/measure-page.js'
export { isThreadwiseError, ThreadwiseError, type ErrorCode } from './errors/errors.js'
