// The log of a service in the background: the output of its instances, line by line, and the messages of the service itself.

import type { ChildProcess } from 'node:child_process'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { ThreadwiseError } from '../../errors/errors.js'
import { createLineSplitter, logLine } from './log-lines.js'
import { openRotatingFile, type LogLimits, type RotatingFile } from './rotating-file.js'
import { makeFolder } from '../../user/make-folder.js'

/** The output of an instance that has ended is closed after so long without data. */
const QUIET_MS = 500
/** And after so long in any case: programs that the instance has started may never stop writing. */
const MAX_MS = 2000

export interface ServiceLog {
  say(text: string): void
  /** All that an instance writes from now on. */
  collect(instance: number, child: ChildProcess): void
  /**
   * All lines go to this file from now on.
   *
   * @throws TW_ERR_LOG_FOLDER when it cannot be written; then they go on to the one before.
   */
  moveTo(path: string, limits: LogLimits): void
  /** Resolves when the output of all instances, which must have ended, is written. */
  close(): Promise<void>
}

/**
 * Its folder is made if it is not there.
 *
 * @throws TW_ERR_LOG_FOLDER when it cannot be written
 */
export function openServiceLog(path: string, limits: LogLimits): ServiceLog {
  let file = openFile(path, limits)
  const open = new Set<Promise<void>>()
  const collectFrom = (stream: Readable, from: string) => {
    const splitter = createLineSplitter()
    const write = (lines: Buffer[]) => {
      const now = new Date()
      if (lines.length > 0) file.write(lines.map((line) => logLine(from, line, now)))
    }
    stream.on('data', (piece: Buffer) => write(splitter.push(piece)))
    stream.on('error', () => {}) // 'close' follows
    const closed = new Promise<void>((resolve) => {
      stream.once('close', () => {
        write(splitter.end())
        resolve()
      })
    })
    open.add(closed)
    void closed.then(() => open.delete(closed))
  }
  return {
    say: (text) => file.write(text.split('\n').map((line) => logLine('serve', line))),
    collect(instance, child) {
      const { stdout, stderr } = child
      if (!stdout || !stderr) return // it could not be started
      collectFrom(stdout, `${instance}`)
      collectFrom(stderr, `${instance} err`)
      child.once('exit', () => [stdout, stderr].forEach((stream) => endWhenQuiet(stream)))
    },
    moveTo(next, nextLimits) {
      const before = file
      file = openFile(next, nextLimits)
      before.close()
    },
    async close() {
      await Promise.all(open)
      file.close()
    },
  }
}

/** Programs that the instance has started may keep its output open for ever, and close() would never resolve. */
function endWhenQuiet(stream: Readable & { bytesRead?: number }, leftMs = MAX_MS): void {
  const read = stream.bytesRead
  setTimeout(() => {
    // Data that has arrived meanwhile is read between the two, so that it counts.
    setImmediate(() =>
      setImmediate(() => {
        if (stream.destroyed) return
        if (stream.bytesRead === read || leftMs <= QUIET_MS) stream.destroy()
        else endWhenQuiet(stream, leftMs - QUIET_MS)
      }),
    )
  }, QUIET_MS)
}

function openFile(path: string, limits: LogLimits): RotatingFile {
  const folder = dirname(path)
  try {
    makeFolder(folder, 0o700)
    return openRotatingFile(path, limits)
  } catch (cause) {
    throw new ThreadwiseError('TW_ERR_LOG_FOLDER', { folder, reason: (cause as Error).message }, { cause })
  }
}
