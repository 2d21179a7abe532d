// Starts the fresh process of a replay, and ends it.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import replayCode from './replay/replay-entry.js?code'
import {
  LONG_MS,
  RESULT_PIPE,
  type ReplayJob,
  type ReplayResult,
  type UnrunPart,
  type UnrunResult,
} from './replay/replay-messages.js'
import { withoutNetwork } from './without-network.js'

/** Of all calls, several times. */
const MAX_MS = 25_000
/** Where there is no time left. */
const LEAST_MS = 6000
/** Of a result with all that a function can reach. */
const MAX_LENGTH = 30_000_000

/** What ends a replay before its calls have ended. */
export interface ReplayEnds {
  readonly signal: AbortSignal
  /** By the clock of `performance`. */
  readonly until: number
}

/**
 * What the task can reach is looked at by the inspector, which the permission model of Node.js before 24 gives to nobody. There calls that have
 * done nothing behind its walls are made once more without them.
 *
 * @returns null: it did not end, or ended by itself
 */
export async function startReplay(job: ReplayJob, ends: ReplayEnds): Promise<ReplayResult | null> {
  const result = await runReplay(job, permissions(), ends)
  if (result === null || result.loadError !== null || result.tried !== null || result.state !== null)
    return result
  if (process.allowedNodeEnvironmentFlags.has(INSPECTOR)) return result
  const calls = result.ms > LONG_MS ? job.calls.slice(-1) : job.calls
  const open = await runReplay({ ...job, calls, redacted: null, didNothing: true }, [], ends)
  return open?.loadError === null && open.tried === null ? { ...result, state: open.state } : result
}

/**
 * Which parts of the modules of a task no call comes by. Only of calls that have done nothing behind the walls.
 *
 * @returns null: nobody knows
 */
export async function findUnrunParts(job: ReplayJob, ends: ReplayEnds): Promise<readonly UnrunPart[] | null> {
  const isWithWalls = process.allowedNodeEnvironmentFlags.has(INSPECTOR)
  const calls = { ...job, redacted: null, findsUnrun: true, didNothing: true }
  const result = await runReplay<UnrunResult>(calls, isWithWalls ? permissions() : [], ends)
  return result?.loadError === null && result.tried === null ? result.unrun : null
}

/** Without a look at what the task can reach. */
export function startBareReplay(job: ReplayJob, ends: ReplayEnds): Promise<ReplayResult | null> {
  return runReplay(job, permissions(), ends)
}

const INSPECTOR = '--allow-inspector'

async function runReplay<Result = ReplayResult>(
  job: ReplayJob,
  options: readonly string[],
  { signal, until }: ReplayEnds,
): Promise<Result | null> {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-replay-'))
  try {
    const file = join(folder, 'replay.cjs')
    writeFileSync(file, `${replayCode}()`, { mode: 0o600 })
    const words = [...(await withoutNetwork()), process.execPath, ...options, file]
    const child = spawn(words[0]!, words.slice(1), {
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      env: environment(),
    })
    child.stdin!.on('error', () => {}) // it ended before it had read all
    child.stdin!.end(serialize(job))
    const limitMs = Math.min(MAX_MS, Math.max(LEAST_MS, until - performance.now()))
    const text = textOf(child.stdio[RESULT_PIPE] as Readable)
    return await new Promise<Result | null>((resolve, reject) => {
      const timer = setTimeout(() => resolve(null), limitMs)
      const abort = () => reject(signal.reason as Error)
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { once: true })
      child.once('error', () => resolve(null))
      void text.then((all) => resolve(resultOf<Result>(all)))
      child.once('close', () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      })
    }).finally(() => child.kill('SIGKILL'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** It may read, and look at itself. */
function permissions(): string[] {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
  const isStable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13)
  const inspector = process.allowedNodeEnvironmentFlags.has(INSPECTOR) ? [INSPECTOR] : []
  return [isStable ? '--permission' : '--experimental-permission', '--allow-fs-read=*', ...inspector]
}

/** Options of Node.js that load code would run what is none of the task; another permission would be one more. */
const LOADS_CODE =
  /^(-r|--require|--import|--loader|--experimental-loader|--inspect.*|--allow-.*|--.*permission)(=|$)/

function environment(): NodeJS.ProcessEnv {
  const words = (process.env.NODE_OPTIONS ?? '').match(/(?:"(?:\\.|[^"])*"|\S)+/g) ?? []
  const takesNext = (word: string | undefined) => LOADS_CODE.test(`${word}`) && !/=/.test(word!)
  const kept = words.filter((word, at) => !LOADS_CODE.test(word) && !takesNext(words[at - 1]))
  return { ...process.env, NODE_OPTIONS: kept.join(' ') }
}

/** No more of it than a result has. */
async function textOf(pipe: Readable): Promise<string> {
  let text = ''
  pipe.on('error', () => {})
  for await (const part of pipe.setEncoding('utf8')) if (text.length < MAX_LENGTH) text += part
  return text
}

function resultOf<Result>(text: string): Result | null {
  try {
    return JSON.parse(text) as Result
  } catch {
    return null // a call has ended the process, or has written to the pipe
  }
}
