// A second version of an app: a copy of its folder with changed files, in a temporary folder that goes with us.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linkModules } from '../../checkout/dependencies.js'
import { removedWithUs } from '../../checkout/removed-with-us.js'

export interface SecondFolder {
  readonly folder: string
  remove(): void
}

export interface CopiedFile {
  /** Relative to the root. */
  readonly file: string
  readonly after: string
}

const LEFT_OUT = /^(node_modules|\.git|\.hg|\.threadwise)$/

/** Packages are links to those that are installed; threadwise is this one where the app has none yet. */
export function copyApp(root: string, files: readonly CopiedFile[]): SecondFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'threadwise-try-')))
  const tellRemoved = removedWithUs(folder, folder, join(folder, 'none'))
  const remove = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    tellRemoved()
  }
  try {
    copyFolder(root, folder, { root, folder, path: '' })
    for (const { file, after } of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), after)
    }
    linkAbove(root, folder)
    linkOurselves(folder)
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** What a copy may take: an app has sources, and not the data of its users. */
const MOST_BYTES = 1024 ** 3
/** And of the disk of temporary files. */
const MOST_OF_FREE = 0.5

/** Why a copy would be too large, in a sentence; null: it is not. */
export function whyTooLarge(root: string, mostBytes = MOST_BYTES): string | null {
  const { bavail, bsize } = statfsSync(tmpdir())
  const most = Math.min(mostBytes, MOST_OF_FREE * bavail * bsize)
  if (bytesIn(root, most) <= most) return null
  const limit = most === mostBytes ? `${mostBytes / 1024 ** 2} MiB` : `half of what is free in ${tmpdir()}`
  return `a copy of ${root} would take more than ${limit}; start doctor in the folder of the app, or move its data elsewhere`
}

/** Counts no further than `most`. */
function bytesIn(folder: string, most: number): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (bytes > most) return bytes
    const path = join(folder, entry.name)
    if (LEFT_OUT.test(entry.name)) continue
    if (entry.isDirectory()) bytes += bytesIn(path, most - bytes)
    else if (entry.isFile()) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

interface Copying {
  readonly root: string
  readonly folder: string
  /** From the root. */
  readonly path: string
}

/** A link leads where it did, if anywhere: cpSync() fails for one that leads nowhere in newer versions of Node, and for one to itself. */
function copyFolder(from: string, to: string, place: Copying): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.name === 'node_modules') linkModules(place, place.path)
    if (LEFT_OUT.test(entry.name)) continue
    if (entry.isDirectory()) {
      mkdirSync(target)
      copyFolder(source, target, { ...place, path: join(place.path, entry.name) })
    } else if (entry.isSymbolicLink()) symlinkSync(resolve(from, readlinkSync(source)), target)
    else if (entry.isFile()) cpSync(source, target)
  }
}

/** Packages of a folder above the root, such as those of a workspace. */
function linkAbove(root: string, folder: string): void {
  if (existsSync(join(folder, 'node_modules'))) return
  for (let above = dirname(root); above !== dirname(above); above = dirname(above)) {
    const modules = join(above, 'node_modules')
    if (!existsSync(modules)) continue
    linkModules({ root: above, folder }, '')
    return
  }
}

function linkOurselves(folder: string): void {
  const place = join(folder, 'node_modules', 'threadwise')
  if (existsSync(place)) return
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(ownFolder(), place, 'junction')
}

function ownFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!isOurs(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

function isOurs(file: string): boolean {
  return (
    existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'threadwise'
  )
}
