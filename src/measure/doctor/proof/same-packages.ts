// Whether a task module finds the packages of the app: from its own folder another one of that name may be nearer, or somebody else's.

import { existsSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'

const NAMED = /(?:\bfrom|\bimport|\brequire\()\s*(['"])((?:@[\w.~-]+\/)?[\w~][\w.~-]*)(?:\/[^'"]*)?\1/g

/**
 * The first package of the module that is another one from `folder` than from `app`; null: all are the same. Packages that the app does not
 * have in folders `node_modules` are not looked at.
 */
export function otherPackage(text: string, app: string, folder: string): string | null {
  const names = new Set([...text.matchAll(NAMED)].map(([, , name]) => name!))
  for (const name of names) {
    if (builtinModules.includes(name)) continue
    const own = packageFolder(name, app)
    if (own !== null && own !== packageFolder(name, folder)) return name
  }
  return null
}

function packageFolder(name: string, from: string): string | null {
  const folder = join(from, 'node_modules', name)
  if (existsSync(folder)) return realpathSync(folder)
  return dirname(from) === from ? null : packageFolder(name, dirname(from))
}
