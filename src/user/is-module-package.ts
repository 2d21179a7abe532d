// Whether Node.js takes a file of `.js` in a folder as an ES module: the nearest package.json says so.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export function isModulePackage(folder: string): boolean {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return dirname(folder) !== folder && isModulePackage(dirname(folder))
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type === 'module'
  } catch {
    return false
  }
}
