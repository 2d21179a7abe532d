// Calls a listener when files change that a list names: files, folders with all below them, or patterns such as 'src/**/*.js'. Whoever lists them
// means files of every kind.

import { existsSync, statSync } from 'node:fs'
import { basename, dirname, resolve, sep } from 'node:path'
import { pathsLike } from './paths-like.js'
import { watchFolder, type WatchListener } from './watch-folder.js'

/** Gives a function that ends it. Does not keep the process alive. */
export function watchListed(
  list: readonly string[],
  folder: string,
  { isIgnored = () => false, ...listener }: WatchListener,
): () => void {
  const ends = list.map((pattern) => {
    const whole = resolve(folder, pattern)
    const named = beforeStars(whole)
    const isOnTheWay = (path: string) => path === named || isBelow(path, named) || isBelow(named, path)
    const isLike = pathsLike([whole], [])
    const isUsual = (path: string) => !basename(path).startsWith('.') && basename(path) !== 'node_modules'
    // From above it is seen that a folder is made anew, such as that of a build.
    const root = isBelow(named, folder) ? nearestFolder(dirname(named)) : nearestFolder(named)
    return watchFolder(root, {
      ...listener,
      isIgnored: (path) => isIgnored(path) || !isOnTheWay(path),
      isCounted: (path) => path === whole || (isLike(path) && isUsual(path)),
    })
  })
  return () => ends.forEach((end) => end())
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function beforeStars(path: string): string {
  const parts = path.split(sep)
  const star = parts.findIndex((part) => /[*?]/.test(part))
  return star < 0 ? path : parts.slice(0, star).join(sep) || sep
}

/** What is listed may be a file, or come later. */
function nearestFolder(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path
  return dirname(path) === path ? path : nearestFolder(dirname(path))
}
