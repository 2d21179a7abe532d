// The log of the uploads experiment: one line of JSON for each thing that happens, with the id of its request and its worker.

import { existsSync, readFileSync } from 'node:fs'
import { defineContext } from '../../runtime/task/define-context.js'
import { appendOwnOutput } from '../../user/own-output.js'

/** Follows each call to the worker that stores the file. */
export interface UploadRequest {
  readonly id: string
  readonly way: string
  readonly log: string
}

export const request = defineContext<UploadRequest>('threadwise-lab-upload-request')

export type UploadEvent =
  /** The endpoint has the whole file, and owes its sender an answer for it. */
  | { readonly event: 'received'; readonly file: string; readonly bytes: number; readonly md5: string }
  /** The store has confirmed it. Times are milliseconds since 1970, with fractions. */
  | { readonly event: 'stored'; readonly file: string; readonly startMs: number; readonly endMs: number }
  | { readonly event: 'failed'; readonly file: string; readonly reason: string }
  /** The sender was told of all files. */
  | { readonly event: 'answered'; readonly startMs: number; readonly endMs: number }

export type LogLine = UploadEvent & {
  readonly request: string
  readonly way: string
  readonly worker: string
}

/** Appends a line. One short write to a file that is open for appending does not mix with those of other workers. */
export function logUpload(worker: string, event: UploadEvent): void {
  const { id, way, log } = request.getStore()!
  appendOwnOutput(log, `${JSON.stringify({ request: id, way, worker, ...event })}\n`)
}

/** The lines; one that a killed process has left unfinished is not one. */
export function readUploadLog(file: string): LogLine[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as LogLine]
      } catch {
        return []
      }
    })
}

/** Milliseconds since 1970, comparable between the threads of a machine. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}
