// The dependencies of another state: those that the user has installed where the lock files are equal, otherwise installed there.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'
import { runProgram } from './run-program.js'

interface Place {
  readonly ref: string
  /** Of the user's checkout, and of the other state. */
  readonly root: string
  readonly folder: string
  readonly signal: AbortSignal | undefined
  readonly note: (text: string) => void
}

/** Lock file -> how its package manager installs just what it says. */
const MANAGERS: readonly (readonly [lock: string, command: readonly [string, ...string[]]])[] = [
  ['pnpm-lock.yaml', ['pnpm', 'install', '--frozen-lockfile']],
  ['yarn.lock', ['yarn', 'install', '--frozen-lockfile']],
  ['bun.lock', ['bun', 'install', '--frozen-lockfile']],
  ['bun.lockb', ['bun', 'install', '--frozen-lockfile']],
  ['npm-shrinkwrap.json', ['npm', 'ci', '--no-audit', '--no-fund']],
  ['package-lock.json', ['npm', 'ci', '--no-audit', '--no-fund']],
]
const WITHOUT_LOCK = ['npm', 'install', '--no-package-lock', '--no-audit', '--no-fund'] as const

/** @throws TW_ERR_VERSION_UNAVAILABLE */
export async function addDependencies(place: Place): Promise<void> {
  const packages = await packagesOf(place)
  // The nearest lock file above a package rules it: that of a workspace lies at its root.
  const rooted = packages.filter(
    (path) => path === '' || lockOf(join(place.folder, path)) !== null || !hasLockAbove(place, path),
  )
  const different = rooted.filter((path) => !hasSameDependencies(place, path))
  for (const path of different) await install(place, path)
  const isInstalled = (path: string) =>
    different.some((root) => path === root || root === '' || path.startsWith(`${root}/`))
  for (const path of packages) if (!isInstalled(path)) linkModules(place, path)
}

/** Folders with a package.json, relative to the repository, and its own. */
async function packagesOf({ folder, signal }: Place): Promise<string[]> {
  const listed = await runProgram('git', ['ls-files', '-z', '--', 'package.json', '*/package.json'], {
    cwd: folder,
    signal,
  })
  const paths = listed.output.split('\0').filter((path) => path !== '' && !path.includes('node_modules/'))
  return [...new Set(['', ...paths.map((path) => (path === 'package.json' ? '' : dirname(path)))])].sort()
}

function lockOf(folder: string): (typeof MANAGERS)[number] | null {
  return MANAGERS.find(([lock]) => existsSync(join(folder, lock))) ?? null
}

function hasLockAbove({ folder }: Place, path: string): boolean {
  for (let above = path; above !== '';) {
    above = above.includes('/') ? dirname(above) : ''
    if (lockOf(join(folder, above)) !== null) return true
  }
  return false
}

function hasSameDependencies({ root, folder }: Place, path: string): boolean {
  const [ours, theirs] = [join(root, path), join(folder, path)]
  const locks = MANAGERS.filter(([lock]) => existsSync(join(ours, lock)) || existsSync(join(theirs, lock)))
  if (locks.length > 0)
    return locks.every(([lock]) => textOf(join(ours, lock)) === textOf(join(theirs, lock)))
  return wantedBy(ours) === wantedBy(theirs)
}

/** Without a lock file: what the package asks for. */
function wantedBy(folder: string): string {
  try {
    const {
      dependencies = {},
      devDependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
    } = JSON.parse(textOf(join(folder, 'package.json')) ?? '{}') as Record<string, object>
    const all = [dependencies, devDependencies, optionalDependencies, peerDependencies]
    return JSON.stringify(all.map((each) => Object.entries(each).sort()))
  } catch {
    return ''
  }
}

async function install({ ref, folder, signal, note }: Place, path: string): Promise<void> {
  const cwd = join(folder, path)
  if (!existsSync(join(cwd, 'package.json'))) return
  const [file, ...args] = commandFor(cwd)
  note(`The dependencies of ${ref} are others: ${[file, ...args].join(' ')} ...`)
  const done = await runProgram(file, args, { cwd, signal })
  signal?.throwIfAborted()
  if (done.isDone) return
  const why = /ENOENT/.test(done.problem) && done.output === '' ? `${file} is not installed` : done.problem
  throw new ThreadwiseError('TW_ERR_VERSION_UNAVAILABLE', {
    ref,
    reason: `its dependencies could not be installed by ${file}: ${why}`,
  })
}

/** Yarn from 2 on has another word for it, and a mark in its lock file. */
function commandFor(folder: string): readonly [string, ...string[]] {
  const manager = lockOf(folder)
  if (manager === null) return WITHOUT_LOCK
  const [lock, command] = manager
  const isBerry = lock === 'yarn.lock' && /^__metadata:/m.test(textOf(join(folder, lock)) ?? '')
  return isBerry ? ['yarn', 'install', '--immutable'] : command
}

/**
 * A folder of links to what is installed. One link to the whole folder would not do: in a workspace it holds links to packages of the
 * repository, and the old version would run their new code.
 */
export function linkModules({ root, folder }: Pick<Place, 'root' | 'folder'>, path: string): void {
  const from = join(root, path, 'node_modules')
  const to = join(folder, path, 'node_modules')
  if (!existsSync(from) || !existsSync(join(folder, path)) || existsSync(to)) return
  linkEntries(from, to, (real) => moved(real, root, folder))
}

function linkEntries(from: string, to: string, movedTo: (real: string) => string | null): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const entry = join(from, name)
    if (name.startsWith('@') && lstatSync(entry).isDirectory()) linkEntries(entry, join(to, name), movedTo)
    else if (existsSync(entry)) symlinkSync(movedTo(realpathSync(entry)) ?? entry, join(to, name), 'junction')
  }
}

/** Where a package of the repository itself lies in the other state; null for what was installed. */
function moved(real: string, root: string, folder: string): string | null {
  const path = relative(root, real)
  const isInstalled = path.startsWith('..') || path.split(sep).includes('node_modules')
  return isInstalled ? null : join(folder, path)
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
