// Loads the packages that are only needed where a queue is used: BullMQ, and the client of its store.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ThreadwiseError } from '../../../errors/errors.js'
import { whyUnsafePackage } from '../../../user/safe-package.js'

const USER = 'The executor bullmq'

/**
 * The package that this one finds, or else the program's own: `npx` installs a command line apart from what it works with. A name that
 * is no literal, so that a bundle without it can be made.
 *
 * @throws TW_ERR_PACKAGE_MISSING
 */
export async function loadPackage<Package>(name: string): Promise<Package> {
  try {
    return await importThat<Package>(name)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const folder = process.cwd()
  try {
    const path = createRequire(join(folder, 'here.js')).resolve(name)
    const unsafe = whyUnsafePackage(path, folder)
    if (unsafe !== null)
      throw new ThreadwiseError('TW_ERR_PACKAGE_MISSING', {
        user: USER,
        missing: [name],
        folder,
        install: name,
        unsafe,
      })
    return await importThat<Package>(pathToFileURL(path).href)
  } catch (error) {
    if (!isMissing(error)) throw error
    const details = { user: USER, missing: [name], folder, install: name }
    throw new ThreadwiseError('TW_ERR_PACKAGE_MISSING', details, { cause: error })
  }
}

function importThat<Package>(name: string): Promise<Package> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name) as Promise<Package>
}

function isMissing(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown }
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
