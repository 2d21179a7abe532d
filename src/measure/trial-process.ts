// Runs one trial in a fresh process under a CPU limit, and always comes back with an answer.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openCpuLimit } from '../cpu/limit-child.js'
import type { FailedTrial, RunTrial, TrialAnswer, TrialRequest } from './trial.js'

const entry = fileURLToPath(new URL('./trial-entry.js', import.meta.url))

/** A trial that takes this much longer than planned hangs: its task never returns, or its executor does not start. */
const PATIENCE_MS = 20_000

/** What is kept of the child's last words, for the reason of a failure. */
const TAIL_LENGTH = 2000

export const runTrialProcess: RunTrial = async (request, { cpus, uv, signal }) => {
  const limit = await openCpuLimit(cpus)
  const { method, exact, note } = limit
  try {
    const env: NodeJS.ProcessEnv = { ...process.env }
    delete env.THREADWISE_CPUS // the child is to see the limit that it runs under
    if (uv !== null) env.UV_THREADPOOL_SIZE = String(uv)
    const answer = await ask(request, { env, signal, limit })
    return { answer, enforcement: { method, exact, note } }
  } finally {
    await limit.remove()
  }
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal | undefined
  readonly limit: Awaited<ReturnType<typeof openCpuLimit>>
}

function ask(request: TrialRequest, { env, signal, limit }: Surroundings): Promise<TrialAnswer> {
  if (signal?.aborted) return Promise.resolve(failed('interrupted'))
  const { file, args } = limit.wrap(process.execPath, [entry])
  const child = spawn(file, args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  if (child.pid !== undefined) limit.adopt(child.pid)
  return new Promise((resolve) => {
    let answer: TrialAnswer | undefined
    let lastWords = ''
    const kill = (reason: string) => {
      answer ??= failed(reason)
      child.kill('SIGKILL')
    }
    const late = `it did not finish within ${Math.round(patience(request) / 1000)} s`
    const timer = setTimeout(() => kill(late), patience(request))
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
    child.send(
      request,
      (error) => error && (answer ??= failed(`it ended before it was asked: ${error.message}`)),
    )
  })
}

function patience(request: TrialRequest): number {
  if (request.kind === 'cell')
    return PATIENCE_MS + 3 * (request.timing.warmUpMs.most + request.timing.measureMs)
  if (request.kind === 'scout') return PATIENCE_MS + 3 * request.measureMs
  return 2 * PATIENCE_MS
}

function describeEnd(code: number | null, signal: string | null, lastWords: string): string {
  if (/JavaScript heap out of memory/.test(lastWords)) return 'it ran out of memory'
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
  const message = lastWords.split('\n').find((line) => /^\s*(\w*Error|\[?\w+\]?):? /.test(line))
  return `its process ${how}${message ? `: ${message.trim()}` : ''}`
}

function failed(reason: string): FailedTrial {
  return { kind: 'failed', reason }
}
