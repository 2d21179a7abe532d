// The tasks of the uploads experiment: store one file, or a list of them by fork and join.

import { createHash } from 'node:crypto'
import { task } from '../../task.js'
import { openStore, type Store, type StoreAccess } from './s3-store.js'
import { logUpload, wallClock } from './upload-log.js'

export interface FileToStore {
  readonly access: StoreAccess
  readonly key: string
  readonly body: Uint8Array
}

/** What became of a file: nothing that was received is left without one. */
export type FileOutcome =
  | { readonly key: string; readonly md5: string; readonly worker: string }
  | { readonly key: string; readonly problem: string }

/** The store has confirmed the whole file once this resolves. */
export async function storeFile({ access, key, body }: FileToStore): Promise<FileOutcome> {
  const worker = nameOfWorker()
  const startMs = wallClock()
  try {
    const md5 = await storeOf(access).put(key, body)
    if (md5 !== md5Of(body)) throw new Error(`the store has ${md5}, which is another file`)
    logUpload(worker, { event: 'stored', file: key, startMs, endMs: wallClock() })
    return { key, md5, worker }
  } catch (error) {
    const problem = (error as Error).message
    logUpload(worker, { event: 'failed', file: key, reason: problem })
    return { key, problem }
  }
}

/** Halves the list until a part has at most `most` files, which one worker stores one after the other. */
export async function storeFiles(files: readonly FileToStore[], most: number): Promise<FileOutcome[]> {
  if (files.length <= most) {
    const outcomes: FileOutcome[] = []
    for (const file of files) outcomes.push(await storeFile(file))
    return outcomes
  }
  const half = Math.ceil(files.length / 2)
  const parts = [files.slice(0, half), files.slice(half)]
  const both = parts.map((part) => task.fork<FileOutcome[]>('storeFiles', [part, most]))
  return (await Promise.all(both)).flat()
}

function nameOfWorker(): string {
  const { name, id } = task.worker
  return id === 0 ? 'main thread' : `${name}-${id}`
}

export function md5Of(body: Uint8Array): string {
  return createHash('md5').update(body).digest('hex')
}

let store: { readonly endpoint: string; readonly open: Store } | undefined

/** One client for each thread: it keeps its connections. */
function storeOf(access: StoreAccess): Store {
  if (store?.endpoint !== access.endpoint) store = { endpoint: access.endpoint, open: openStore(access) }
  return store.open
}
