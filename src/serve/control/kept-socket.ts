// The control socket of a service, for as long as the service runs. What removes it, a logout or a cleaner of temporary files, does not ask; so it
// is made again:
//
//   made ──its file is gone, or is that of another one──> made again, in its folder or, where that cannot be, in another one
//
// It looks after a change in the folder, and when a command that knows from the record that it runs sends WAKE_SIGNAL: a folder whose file
// system is taken away gives no event.

import { existsSync, lstatSync, watch, type FSWatcher } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import { listenAt, type ControlSocket } from '../../user/control-socket.js'
import { makeFolder } from '../../user/make-folder.js'
import { otherRuntimeFolders, socketPath } from '../../user/runtime-folder.js'
import { WAKE_SIGNAL } from './control-messages.js'
import { ownRecord, removeRecord, writeRecord, type RunRecord } from './run-record.js'

type Owner = Pick<RunRecord, 'name' | 'folder' | 'isBackground'>
type OnSocket = (socket: Socket) => void

/** Whoever removes a folder with all in it must not find a new file there meanwhile. */
const SETTLE_MS = 1000
/** While no folder can be written, as on a full disk. */
const RETRY_MS = 10_000

interface Listening {
  readonly socket: ControlSocket
  readonly path: string
  readonly inode: bigint
}

/** `folder`: in which it is made first. */
export async function keepSocket(onSocket: OnSocket, owner: Owner): Promise<KeptSocket> {
  return new KeptSocket(onSocket, owner, await listenIn(owner.folder, owner.name, onSocket))
}

export class KeptSocket {
  readonly #onSocket: OnSocket
  readonly #owner: Owner
  #current: Listening
  #record: RunRecord
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #isClosed = false
  readonly #lookLater = () => void this.look()

  constructor(onSocket: OnSocket, owner: Owner, first: Listening) {
    this.#onSocket = onSocket
    this.#owner = owner
    this.#current = first
    this.#record = remember(owner, first.path)
    this.#watch()
    if (WAKE_SIGNAL) process.on(WAKE_SIGNAL, this.#lookLater)
  }

  close(): void {
    this.#isClosed = true
    if (WAKE_SIGNAL) process.off(WAKE_SIGNAL, this.#lookLater)
    clearTimeout(this.#timer)
    this.#watcher?.close()
    leave(this.#current)
    removeRecord(this.#record)
  }

  /** Makes the socket and the record again that somebody has removed. */
  async look(): Promise<void> {
    this.#timer = undefined
    if (this.#isLooking || this.#isClosed) return
    this.#isLooking = true
    try {
      if (inodeOf(this.#current.path) !== this.#current.inode) await this.#makeAgain()
      this.#record = remember(this.#owner, this.#current.path) // it may have been removed with the folder of the state
    } catch {
      // No folder can be written now. Who has neither socket nor record is found by no command, so that none can ask for a new look.
      this.#timer ??= setTimeout(this.#lookLater, RETRY_MS).unref()
    } finally {
      this.#isLooking = false
    }
  }

  async #makeAgain(): Promise<void> {
    const isTaken = inodeOf(this.#current.path) !== undefined
    leave(this.#current)
    const next = await listenAnywhere(this.#owner, this.#onSocket, isTaken)
    if (this.#isClosed) return leave(next)
    this.#current = next
    this.#watch()
  }

  #watch(): void {
    this.#watcher?.close()
    this.#watcher = watchFolder(this.#current.path, () => {
      this.#timer ??= setTimeout(this.#lookLater, SETTLE_MS).unref()
    })
  }
}

/** Closing removes the file of that name: that of another one must stay. */
function leave({ socket, path, inode }: Listening): void {
  const found = inodeOf(path)
  if (found === undefined || found === inode) socket.close()
  else socket.server.unref()
}

async function listenAnywhere(
  { name, folder }: Owner,
  onSocket: (socket: Socket) => void,
  isTaken: boolean,
): Promise<Listening> {
  // The folder above may be that of a login, which only the next one brings back.
  const first = isTaken || !existsSync(dirname(folder)) ? [] : [folder]
  let problem: unknown
  for (const each of [...first, ...otherRuntimeFolders()]) {
    try {
      return await listenIn(each, name, onSocket)
    } catch (error) {
      problem = error
    }
  }
  throw problem ?? new Error('there is no folder for its socket')
}

function listenIn(folder: string, name: string, onSocket: (socket: Socket) => void): Promise<Listening> {
  return new Promise((resolve, reject) => {
    makeFolder(folder, 0o700)
    const path = socketPath(folder, name)
    const socket = listenAt(path, onSocket, (error) => {
      if (error) return reject(error)
      socket.server.on('error', () => {}) // such as no more file descriptors: a command tries again
      resolve({ socket, path, inode: inodeOf(path)! })
    })
    socket.server.unref() // the instances keep the service running, not who may ask for it
  })
}

/** Where it cannot be written, its socket alone leads to it. */
function remember({ name, folder, isBackground }: Owner, socket: string): RunRecord {
  const record = ownRecord({ name, folder, isBackground, socket })
  try {
    writeRecord(record)
  } catch {
    // Such as a file system that is read-only.
  }
  return record
}

function watchFolder(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, onChange)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined // none is left
  }
}

function inodeOf(path: string): bigint | undefined {
  return lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ino
}
