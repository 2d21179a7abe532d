// Files and folders that one of some patterns names, and all below them: those whose changes are passed over, or those that are watched.
//
//   data          of that name, in any folder          data/*.json   from the folder of the app
//   RegExp:\.tmp$  a regular expression, of the whole path

import { relative, sep } from 'node:path'

/** Whether a path is one of them. `folders`: from which patterns with a slash are. */
export function pathsLike(
  patterns: readonly string[],
  folders: readonly string[],
): (path: string) => boolean {
  const tests = patterns.map((pattern) => testOf(pattern, folders))
  return (path) => tests.some((test) => test(path))
}

/** Before one that a configuration gives as an object: a plan is plain data. */
export const EXPRESSION = 'RegExp:'

function testOf(pattern: string, folders: readonly string[]): (path: string) => boolean {
  if (pattern.startsWith(EXPRESSION)) {
    const expression = new RegExp(pattern.slice(EXPRESSION.length))
    return (path) => expression.test(path)
  }
  const glob = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
  const whole = new RegExp(`^${sourceOf(glob)}(?:/|$)`)
  if (glob.startsWith('/')) return (path) => whole.test(slashed(path))
  if (!glob.includes('/'))
    return (path) =>
      slashed(path)
        .split('/')
        .some((name) => whole.test(name))
  return (path) => folders.some((folder) => whole.test(slashed(relative(folder, path))))
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

/** Stars and question marks as in a shell; all other signs are themselves. */
function sourceOf(glob: string): string {
  return glob.replace(/\*\*\/?|[*?]|[^*?]+/g, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    return part.replace(/[\\^$.|+(){}[\]]/g, '\\$&')
  })
}
