// A path to ask for, and how often beside the others: /report=2.

import { checkOption } from '../../errors/check-options.js'

export interface WeightedPath {
  readonly path: string
  readonly weight: number
}

/**
 * "/a" has the weight 1, "/a=2" is asked for twice as often. What follows a question mark belongs to the path.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function parseWeightedPath(text: string): WeightedPath {
  checkOption(text.startsWith('/'), 'path', 'a path that starts with /', text)
  const [, path, weight] = /^([^?]*)=(\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (path === undefined) return { path: text, weight: 1 }
  checkOption(Number(weight) > 0, 'path', 'a path with a weight above 0, such as /report=2', text)
  return { path, weight: Number(weight) }
}
