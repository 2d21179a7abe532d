// Tasks of the files experiment: each call reads the next file of a folder.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

/** Workers start at different files, so that they do not all read the same one. */
let next = threadId * 7919

function nextPath(folder: string, count: number): string {
  return join(folder, `${next++ % count}.txt`)
}

export async function readNext(folder: string, count: number): Promise<number> {
  return (await readFile(nextPath(folder, count), 'utf8')).length
}

export function readNextSync(folder: string, count: number): number {
  return readFileSync(nextPath(folder, count), 'utf8').length
}
