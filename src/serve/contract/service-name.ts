// The name of a service, by which commands find it.

import { basename, extname } from 'node:path'
import { checkOption } from '../../errors/check-options.js'

/**
 * `option`: which holds the name.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function checkName(name: unknown, option = 'name'): asserts name is string {
  checkOption(isName(name), option, 'at most 40 letters, digits, ".", "_" and "-", and not "all"', name)
}

export function isName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z0-9_][\w.-]{0,39}$/.test(name) && name !== 'all'
}

/** That of a service whose file or program is at this path. */
export function nameOf(path: string): string {
  const bare = basename(path, extname(path))
    .replace(/[^\w.-]/g, '-')
    .slice(0, 40)
  return /^\w/.test(bare) ? bare : 'server'
}
