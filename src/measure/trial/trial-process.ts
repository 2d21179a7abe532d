// Runs one trial in a fresh process under a CPU limit, and always comes back with an answer.

import { spawn, type ChildProcess } from 'node:child_process'
import { openCpuLimit } from '../../cpu/limit/limit-child.js'
import { programOfChild } from '../../primitives/run-text.js'
import type { FailedTrial, RunTrial, TrialAnswer, TrialRequest } from './trial.js'
import trialCode from './trial-entry.js?code'

/** A trial that takes this much longer than planned hangs: its task never returns, or its executor does not start. */
const PATIENCE_MS = 20_000

/** Windows has no process groups; there each process of a trial ends by itself when its parent is gone. */
const hasGroups = process.platform !== 'win32'

/** What is kept of the child's last words, for the reason of a failure. */
const TAIL_LENGTH = 2000

export const runTrialProcess: RunTrial = trialRunner()

/** `patienceMs` is for tests. */
export function trialRunner(patienceMs = PATIENCE_MS): RunTrial {
  return async (request, { cpus, uv, signal }) => {
    const limit = await openCpuLimit(cpus)
    const { method, exact, note } = limit
    try {
      const env: NodeJS.ProcessEnv = { ...process.env }
      delete env.THREADWISE_CPUS // the child is to see the limit that it runs under
      if (uv !== null) env.UV_THREADPOOL_SIZE = String(uv)
      const answer = await ask(request, { patienceMs, env, signal, limit })
      return { answer, enforcement: { method, exact, note } }
    } finally {
      await limit.remove()
    }
  }
}

interface Surroundings {
  readonly patienceMs: number
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal | undefined
  readonly limit: Awaited<ReturnType<typeof openCpuLimit>>
}

async function ask(request: TrialRequest, surroundings: Surroundings): Promise<TrialAnswer> {
  const { env, signal, limit } = surroundings
  if (signal?.aborted) return failed('interrupted')
  const { file, args } = limit.wrap(process.execPath, programOfChild([]))
  const child = spawn(file, args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    detached: hasGroups,
  })
  try {
    if (child.pid !== undefined) limit.adopt(child.pid)
    return await answerOf(child, request, surroundings)
  } finally {
    killGroup(child)
  }
}

function answerOf(
  child: ChildProcess,
  request: TrialRequest,
  { patienceMs, signal }: Surroundings,
): Promise<TrialAnswer> {
  return new Promise((resolve) => {
    let answer: TrialAnswer | undefined
    let lastWords = ''
    const kill = (reason: string) => {
      answer ??= failed(reason)
      killGroup(child)
    }
    const latestMs = latest(request, patienceMs)
    const late = `it did not finish within ${Math.round(latestMs / 1000)} s`
    const timer = setTimeout(() => kill(late), latestMs)
    const onAbort = () => kill('interrupted')
    signal?.addEventListener('abort', onAbort, { once: true })
    child.stderr!.on(
      'data',
      (data: Buffer) => (lastWords = (lastWords + data.toString()).slice(-TAIL_LENGTH)),
    )
    child.on('message', (message: TrialAnswer) => (answer ??= message))
    child.on('error', (error) => (answer ??= failed(`its process could not be started: ${error.message}`)))
    child.on('close', (code, exitSignal) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      resolve(answer ?? failed(describeEnd(code, exitSignal, lastWords)))
    })
    tell(child, request, kill)
  })
}

function tell(child: ChildProcess, request: TrialRequest, kill: (reason: string) => void): void {
  try {
    child.send(trialCode, () => {}) // what fails with it fails with the request
    child.send(request, (error) => error && kill(`it ended before it was asked: ${error.message}`))
  } catch (error) {
    kill(`its arguments cannot be sent to another process: ${(error as Error).message}`)
  }
}

/**
 * Ends the trial and what it started: a child process of its pool that is inside a synchronous task does not notice that
 * its parent is gone, and would keep the pipe of stderr open besides.
 */
function killGroup(child: ChildProcess): void {
  if (!hasGroups || child.pid === undefined) return void child.kill('SIGKILL')
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // all of it has ended already
  }
}

function latest(request: TrialRequest, patienceMs: number): number {
  if (request.kind === 'cell')
    return patienceMs + 3 * (request.timing.warmUpMs.most + request.timing.measureMs)
  if (request.kind === 'scout') return patienceMs + 3 * request.measureMs
  return 2 * patienceMs
}

function describeEnd(code: number | null, signal: string | null, lastWords: string): string {
  if (/JavaScript heap out of memory/.test(lastWords)) return 'it ran out of memory'
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
  const lines = lastWords.split('\n')
  // Node prints the source line of the throw first; it is all there is when what was thrown is no Error.
  const message =
    lines.find((line) => /^\s*\w*Error\b.*: /.test(line)) ?? lines.find((line) => /^\s*\w+:? /.test(line))
  return `its process ${how}${message ? `: ${message.trim()}` : ''}`
}

function failed(reason: string): FailedTrial {
  return { kind: 'failed', reason }
}
