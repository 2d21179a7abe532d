// The files of the Unix sockets that instances listen on. The socket itself belongs to the primary; an instance that removes "its" stale file
// before it listens removes the one on which all others serve, and nobody can connect any more:
//
//   rmSync(path, { force: true }); server.listen(path)
//
// A second hard link beside the file leads to the same socket. When the file is gone, the link becomes the file again.
//
// The path comes from the code of an instance, and what is done there runs in callbacks: nothing here may throw, whatever the path is.

import { linkSync, lstatSync, rmSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

export interface SocketFiles {
  /** An instance listens on this key of node:cluster, which may be a path. */
  keep(key: string): void
  close(): void
}

interface Kept {
  readonly spare: string
  readonly watcher: FSWatcher | undefined
}

/** `isUsed`: whether an instance listens there now. The file of a socket that is closed must stay away. */
export function createSocketFiles(isUsed: (key: string) => boolean): SocketFiles {
  const kept = new Map<string, Kept>()
  const restore = (key: string, path: string) => {
    const spare = kept.get(key)?.spare
    if (spare !== undefined && isUsed(key) && inodeOf(path) === undefined)
      attempt(() => linkSync(spare, path))
  }
  const release = (key: string) => {
    const { spare, watcher } = kept.get(key)!
    kept.delete(key)
    watcher?.close()
    attempt(() => rmSync(spare, { force: true }))
  }
  return {
    keep(key) {
      const path = pathOf(key)
      if (path === undefined || process.platform === 'win32') return
      const spare = kept.get(key)?.spare
      const isSame = spare !== undefined && inodeOf(path) === inodeOf(spare)
      if (spare !== undefined && inodeOf(path) === undefined) return restore(key, path)
      if (isSame) return
      if (spare !== undefined) release(key) // all instances had closed it, and another socket has its path
      // In the same folder, since a hard link cannot leave its file system.
      const made = `${path}.${process.pid}`
      attempt(() => rmSync(made, { force: true }))
      if (attempt(() => linkSync(path, made)))
        kept.set(key, { spare: made, watcher: watchFile(path, () => restore(key, path)) })
    },
    close() {
      for (const key of [...kept.keys()]) release(key)
    },
  }
}

function watchFile(path: string, onChange: () => void): FSWatcher | undefined {
  const name = basename(path)
  let watcher: FSWatcher | undefined
  // Without it the file is restored only when the next instance listens.
  attempt(() => {
    watcher = watch(dirname(path), { persistent: false }, (_, changed) => {
      if (changed === null || changed === name) onChange()
    })
    watcher.on('error', () => watcher?.close())
  })
  return watcher
}

/**
 * A key of node:cluster is address:port:addressType:fd:index; a path has the port -1. An abstract socket of Linux, whose name begins with NUL, has
 * no file: node:cluster puts the current folder before the name.
 */
function pathOf(key: string): string | undefined {
  const [, path] = /^([^\0]+?):-1:-1:/.exec(key) ?? []
  return path
}

function inodeOf(path: string): number | undefined {
  let inode: number | undefined
  // It throws where a part of the path is no folder any more, or may not be entered.
  attempt(() => (inode = lstatSync(path, { throwIfNoEntry: false })?.ino))
  return inode
}

/** A folder that cannot be written or watched leaves all as it was. */
function attempt(action: () => unknown): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
