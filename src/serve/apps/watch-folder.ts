// Calls a listener when source files in a folder change. Not by fs.watch with "recursive": that would also watch node_modules, and on
// Linux it reads every folder before it can leave one out.

import { readdirSync, watch, type FSWatcher } from 'node:fs'
import { basename, extname, join, sep } from 'node:path'

/** Files that Node loads. A server may write others, such as logs, and would reload for ever. */
const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx', '.json', '.node', '.wasm']
/** Editors and compilers write several files, each several times. */
const SETTLE_MS = 100

export interface WatchListener {
  readonly onChange: () => void
  /** A folder cannot be watched; the others are. */
  readonly onProblem: (folder: string, reason: string) => void
  /** Of a file or folder; default: none is. */
  readonly isIgnored?: (path: string) => boolean
  /** Whether a change of this path is one; default: of sources it is. */
  readonly isCounted?: (path: string) => boolean
}

/** Gives a function that ends it. Does not keep the process alive. */
export function watchFolder(
  root: string,
  { onChange, onProblem, isIgnored = () => false, isCounted = isSourcePath }: WatchListener,
): () => void {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  const look = (folder: string) => {
    const names = foldersIn(folder)
    if (names === null) return
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => onEvent(folder, name))
      watchers.set(folder, watcher)
      watcher.on('error', () => closeBelow(watchers, folder)) // it was removed
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') onProblem(folder, message)
    }
    for (const name of names) if (!isIgnored(join(folder, name))) look(join(folder, name))
  }
  const onEvent = (folder: string, name: string | null) => {
    if (name !== null && !isChange(name, join(folder, name))) return
    clearTimeout(timer)
    timer = setTimeout(onChange, SETTLE_MS).unref()
  }
  const isChange = (name: string, path: string) => {
    const isFolder = () => !isHidden(name) && !isSource(name) && hasNewFolder(path)
    return !isIgnored(path) && (isFolder() || isCounted(path))
  }
  /** Whether folders have come or gone under this name. A folder that was removed and made again has to be watched anew. */
  const hasNewFolder = (path: string): boolean => {
    const wasWatched = watchers.has(path)
    closeBelow(watchers, path)
    look(path)
    return wasWatched || watchers.has(path)
  }
  look(root)
  return () => {
    clearTimeout(timer)
    closeBelow(watchers, root)
  }
}

function closeBelow(watchers: Map<string, FSWatcher>, folder: string): void {
  for (const [path, watcher] of watchers) {
    if (path !== folder && !path.startsWith(folder + sep)) continue
    watcher.close()
    watchers.delete(path)
  }
}

/** Null when it is not a folder. */
function foldersIn(folder: string): string[] | null {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory() && !isHidden(entry.name)).map(({ name }) => name)
  } catch {
    return null
  }
}

function isSourcePath(path: string): boolean {
  return isSource(basename(path))
}

function isSource(name: string): boolean {
  return !isHidden(name) && ENDINGS.includes(extname(name))
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}
