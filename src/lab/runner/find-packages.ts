// Packages that an experiment works with and threadwise does not bring along: no service should install them for a lab.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'
import { whyUnsafePackage } from '../../user/safe-package.js'

/**
 * Their paths: the ones that the project in `folder` uses, or else those beside threadwise itself.
 *
 * @throws TW_ERR_PACKAGE_MISSING
 */
export function findPackages<Name extends string>(
  user: string,
  packages: readonly Name[],
  folder = process.cwd(),
): Record<Name, string> {
  const places = [createRequire(join(folder, 'here.js')), createRequire(import.meta.url)]
  const found = packages.map((name) => [name, pathOf(name, places)] as const)
  for (const [name, path] of found) {
    const isOurs = path === undefined || path === pathOf(name, places.slice(1)) // installed with threadwise
    const unsafe = isOurs ? null : whyUnsafePackage(path, folder)
    if (unsafe !== null)
      throw new ThreadwiseError('TW_ERR_PACKAGE_MISSING', {
        user,
        missing: [name],
        folder,
        install: name,
        unsafe,
      })
  }
  const missing = found.flatMap(([name, path]) => (path === undefined ? [name] : []))
  if (missing.length > 0)
    throw new ThreadwiseError('TW_ERR_PACKAGE_MISSING', { user, missing, folder, install: missing.join(' ') })
  return Object.fromEntries(found) as Record<Name, string>
}

function pathOf(name: string, places: readonly NodeJS.Require[]): string | undefined {
  for (const { resolve } of places) {
    try {
      return resolve(name)
    } catch {
      // The next place may have it.
    }
  }
  return undefined
}
