// Orders test files by how near they are to what was changed last: first those that were changed themselves, then those that import a changed
// file, then those that import one that does. So a run that fails fails early.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Commits that count as the change where there is no main branch of others to compare with. */
const COMMITS = 20
const IMPORT = /(?:from|import|require)\s*\(?\s*'([^'\n]+)'/g
/** Tests start the command line by its path. */
const COMMAND = /dist\/cli\/main\.js/

/** @returns {string[]} the same files, the nearest first; of those that are as near the order stays */
export function byChange(files, root) {
  const near = nearness(changedFiles(root), root)
  const distance = new Map(files.map((file) => [file, near(file)]))
  return files.toSorted((a, b) => distance.get(a) - distance.get(b) || 0)
}

function changedFiles(root) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
  const shared = git('merge-base', 'HEAD', 'origin/main')
  const base = shared && shared !== git('rev-parse', 'HEAD') ? shared : `HEAD~${COMMITS}`
  return new Set(
    git('diff', '--name-only', base)
      .split('\n')
      .map((path) => join(root, path)),
  )
}

/** How many imports lie between a file and the nearest changed one; 1000 where none does. */
function nearness(changed, root) {
  const imports = new Map()
  const importsOf = (file) => {
    if (!imports.has(file)) imports.set(file, readImports(file, root))
    return imports.get(file)
  }
  return (file) => {
    const seen = new Set([file])
    let ring = [file]
    for (let distance = 0; ring.length > 0; distance++) {
      if (ring.some((each) => changed.has(each))) return distance
      ring = ring.flatMap(importsOf).filter((each) => !seen.has(each) && seen.add(each))
    }
    return 1000
  }
}

function readImports(file, root) {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  const found = [...text.matchAll(IMPORT)].map(([, name]) => sourceOf(name, dirname(file), root))
  if (COMMAND.test(text)) found.push(join(root, 'src/cli/main.ts'))
  return found.filter((path) => path !== undefined)
}

/** The source behind an import: `threadwise/x` and `dist/x.js` are made of src/x.ts, `build/y.js` of src/y.ts. */
function sourceOf(name, folder, root) {
  const [, entry] = /^threadwise(?:\/(.+))?$/.exec(name) ?? []
  if (name === 'threadwise' || entry)
    return join(root, 'src', `${(entry ?? 'index').replaceAll('/', '-')}.ts`)
  if (!name.startsWith('.')) return undefined
  const path = resolve(folder, name)
  const inRoot = relative(root, path)
  const built = /^(?:build|dist)\/(.+)\.c?js$/.exec(inRoot)
  if (built) return join(root, 'src', `${built[1]}.ts`)
  return inRoot.startsWith('src/') ? path.replace(/\.js$/, '.ts') : path
}
