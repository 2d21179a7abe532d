// The folders of a module's package, in which files about the module are kept and looked for. What lies beyond may be anybody's.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder with the package.json that belongs to `start`; without one, `start`. */
export function packageFolder(start: string): string {
  return foldersAbove(start).find(isPackage) ?? start
}

/** `start` and the folders above it, the nearest first, up to the root of the package; without a package only `start`. */
export function foldersOfPackage(start: string): string[] {
  const folders = foldersAbove(start)
  const packages = folders.filter(isPackage)
  const root = packages.find((folder) => !isPartOfPackage(folder)) ?? packages.at(-1) ?? start
  return folders.slice(0, folders.indexOf(root) + 1)
}

/** The file belongs neither to this user, nor to that of the folder, nor to root. Windows knows no such numbers: all are 0. */
export function isSomebodyElses(file: string, folder: string): boolean {
  const owner = ownerOf(file)
  return owner !== undefined && owner !== 0 && owner !== process.getuid?.() && owner !== ownerOf(folder)
}

function foldersAbove(start: string): string[] {
  const above = dirname(start)
  return above === start ? [start] : [start, ...foldersAbove(above)]
}

function isPackage(folder: string): boolean {
  return existsSync(join(folder, 'package.json'))
}

/** It says no more than how the modules of this folder are to be read, as in `dist/esm`: `{ "type": "module" }`. */
function isPartOfPackage(folder: string): boolean {
  try {
    const names = Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object)
    return names.every((name) => name === 'type' || name === 'sideEffects')
  } catch {
    return false // whatever it is, the package ends here
  }
}

/** Undefined: it is not there, or cannot be looked at, as whoever reads it will be told. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
