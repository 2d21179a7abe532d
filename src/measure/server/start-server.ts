// Starts a server under a CPU limit, alone or as a cluster, and finds out where it listens.

import { spawn, type ChildProcess } from 'node:child_process'
import type { CpuLimit } from '../../cpu/limit/limit-child.js'
import { endGroupWithUs } from '../machine/end-group-with-us.js'
import { giveCode, textBeforeProgram, programOfChild } from '../../primitives/run-text.js'
import { variablesOfRuntime } from '../../primitives/single-executable.js'
import primaryCode from '../../serve/service/primary-entry.js?code'
import type { ServerRow } from './server-trial.js'
import singleCode from './single-entry.js?code'

const START_MS = 40_000
const STOP_MS = 3000
const hasGroups = process.platform !== 'win32'
/** What is kept of the server's last words, for the reason of a failure. */
const TAIL_LENGTH = 2000

export interface ServerPlan {
  readonly file: string
  readonly row: ServerRow
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly limit: CpuLimit
  readonly signal: AbortSignal | undefined
}

export interface StartedServer {
  readonly origin: string
  /** Of processes: the server with all that it starts, unless that leaves the group. */
  readonly group: number
  readonly startMs: number
  /** Of one process on Linux: those of its threads, as the system counts them, that are workers, also such as have ended. */
  readonly workerIds: () => readonly number[]
  /** Ends it at once with all that it has started. Never rejects. */
  stop(): Promise<void>
}

interface Told {
  threadwise: 'listens' | 'failed'
  address: string | null
  port: number
  reason?: string
}

/** Rejects with an Error whose message is the reason; then nothing is left running. */
export async function startServer(plan: ServerPlan): Promise<StartedServer> {
  const { limit } = plan
  const startedAt = performance.now()
  const child = spawnServer(plan)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const workerIds: number[] = []
  child.on('message', (message) => {
    const told = message as { threadwise?: string; tids?: number[] } | null
    if (told?.threadwise === 'workers') workerIds.push(...(told.tids ?? []))
  })
  const stop = () => stopServer(child, plan.row, closed)
  try {
    if (child.pid !== undefined) limit.adopt(child.pid)
    const { address, port } = await whereItListens(child, plan.signal)
    if (port < 1) throw new Error('it listens on a path, and not on a port')
    return {
      origin: originOf(address, port),
      group: child.pid!,
      startMs: performance.now() - startedAt,
      workerIds: () => workerIds,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function spawnServer({ file: own, row, args, env, limit }: ServerPlan): ChildProcess {
  const { file, node, cwd } = row.version ?? { file: own }
  const isSingle = row.way === 'single'
  const line = isSingle
    ? [...textBeforeProgram(), file, ...args]
    : programOfChild([file, String(row.instances), ...args])
  const command = limit.wrap(node ?? process.execPath, line)
  const variables: NodeJS.ProcessEnv = { ...process.env, ...variablesOfRuntime(), PORT: '0', ...env }
  delete variables.THREADWISE_CPUS // the server is to see the limit that it runs under
  const child = spawn(command.file, command.args, {
    env: variables,
    cwd,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: hasGroups,
  })
  endGroupWithUs(child)
  if (isSingle) giveCode(child, singleCode)
  else if (child.connected) child.send(primaryCode, () => {}) // one that has ended is told by its end
  return child
}

function whereItListens(child: ChildProcess, signal: AbortSignal | undefined): Promise<Told> {
  return new Promise((resolve, reject) => {
    let lastWords = ''
    const fail = (reason: string) => {
      release()
      reject(new Error(reason))
    }
    const onMessage = (message: unknown) => {
      const told = message as Told | null
      if (told?.threadwise === 'failed') fail(`${told.reason}${firstError(lastWords)}`)
      if (told?.threadwise !== 'listens') return // what the user's code says to its parent
      release()
      resolve(told)
    }
    const onAbort = () => fail('interrupted')
    const timer = setTimeout(() => fail(`it did not listen within ${START_MS / 1000} s`), START_MS)
    const release = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      child.off('message', onMessage)
    }
    // Read to its end in any case: a server that logs must not wait for a full pipe.
    child.stderr!.on('data', (data: Buffer) => (lastWords = (lastWords + String(data)).slice(-TAIL_LENGTH)))
    child.on('message', onMessage)
    child.once('error', (error) => fail(`it could not be started: ${error.message}`))
    child.once('close', (code, by) => {
      fail(`it ended ${by === null ? `with exit code ${code}` : `by ${by}`}${firstError(lastWords)}`)
    })
    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

function firstError(lastWords: string): string {
  const line = lastWords.split('\n').find((text) => /^\s*\w*Error\b.*: /.test(text))
  return line === undefined ? '' : `: ${line.trim()}`
}

function originOf(address: string | null, port: number): string {
  const isAny = address === null || address === '::' || address === '0.0.0.0'
  const host = isAny ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address
  return `http://${host}:${port}`
}

/**
 * A primary ends its instances and waits for them; otherwise their CPU time would look like that of other programs to the check of
 * the machine. What does not end in time is killed with its whole group.
 */
async function stopServer(child: ChildProcess, { way }: ServerRow, closed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  if (way === 'cluster' && child.connected) {
    child.send('end', () => {})
    await Promise.race([closed, new Promise((resolve) => (timer = setTimeout(resolve, STOP_MS)))])
    clearTimeout(timer)
  }
  killGroup(child)
  if (child.pid !== undefined) await closed
}

function killGroup(child: ChildProcess): void {
  if (!hasGroups || child.pid === undefined) return void child.kill('SIGKILL')
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // all of it has ended already
  }
}
