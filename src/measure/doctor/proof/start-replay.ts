// Starts the fresh process of a replay, and ends it.

import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import replayCode from './replay/replay-entry.js?code'
import type { ReplayJob, ReplayResult } from './replay/replay-messages.js'

/** Of all calls, several times. */
const MAX_MS = 20_000

/** Null: it did not end, or ended by itself. */
export async function startReplay(job: ReplayJob, signal: AbortSignal): Promise<ReplayResult | null> {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-replay-'))
  try {
    const file = join(folder, 'replay.cjs')
    writeFileSync(file, `${replayCode}()`, { mode: 0o600 })
    const child = fork(file, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    return await new Promise<ReplayResult | null>((resolve, reject) => {
      const end = () => resolve(null)
      const timer = setTimeout(end, MAX_MS)
      const abort = () => reject(signal.reason as Error)
      signal.addEventListener('abort', abort, { once: true })
      child.once('message', resolve).once('error', end).once('exit', end)
      child.send(job)
      child.once('exit', () => signal.removeEventListener('abort', abort))
      child.once('exit', () => clearTimeout(timer))
    }).finally(() => child.kill('SIGKILL'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
