// A trial from outside: a process under a CPU limit that is asked, and always comes back with an answer.

import { spawn, type ChildProcess } from 'node:child_process'
import { openCpuLimit, type CpuLimit } from '../../cpu/limit/limit-child.js'
import { endGroupWithUs } from '../machine/end-group-with-us.js'
import { programOfChild } from '../../primitives/run-text.js'
import { variablesOfRuntime } from '../../primitives/single-executable.js'
import { inheritedExecArgv } from '../../runtime/pool/workers/inherited-options.js'
import type { TrialProtocol, Enforcement, FromTrial, TrialQuestion, TrialAnswer } from './trial.js'
import trialCode from './trial-entry.js?code'

/** Windows has no process groups; there each process of a trial ends by itself when its parent is gone. */
const hasGroups = process.platform !== 'win32'

/** Milliseconds. What is asked before it is up has its time from then on: a slow start says nothing about the task. */
const START_MS = 30_000

/** What is kept of the child's last words, for the reason of a failure. */
const TAIL_LENGTH = 2000

export interface TrialProcess {
  /** Undefined: it could not be started. */
  readonly pid: number | undefined
  readonly enforcement: Enforcement
  /** Its quota is enforced by the kernel, period by period. */
  readonly hasQuota: boolean
  /** Never rejects: what goes wrong is the answer. What does not come within the time, once the process is up, ends it. */
  ask<K extends TrialQuestion>(
    kind: K,
    asked: TrialProtocol[K]['asked'],
    timeoutMs: number,
  ): Promise<TrialAnswer<K>>
  /** Takes the CPU limit away, or puts it back: it changes how fast code warms up, and not what it becomes. */
  liftLimit(): void
  restoreLimit(): void
  /** Stops all of it until it resumes. */
  pause(): void
  resume(): void
  /** Ends it at once, with all that it has started. */
  kill(): Promise<void>
}

export interface TrialPlace {
  readonly cpus: number
  readonly uv: number | null
  readonly signal?: AbortSignal | undefined
  readonly runtime?: TrialRuntime | undefined
}

/** What runs the trial, where it is not what runs this program. */
export interface TrialRuntime {
  /** Path of Node. Default: that of this program. */
  readonly node?: string | undefined
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Working directory. Default: that of this process. */
  readonly cwd?: string | undefined
}

/** @throws TW_ERR_LIMIT_UNAVAILABLE */
export async function startTrialProcess({
  cpus,
  uv,
  signal,
  runtime = {},
}: TrialPlace): Promise<TrialProcess> {
  const limit = await openCpuLimit(cpus)
  const { method, exact, note } = limit
  const child = spawnTrial(limit, uv, runtime)
  const conversation = converse(child)
  const onAbort = () => conversation.end('interrupted')
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    pid: child.pid,
    enforcement: { method, exact, note },
    hasQuota: method !== 'none' && method !== 'taskset',
    ask: conversation.ask,
    liftLimit: () => limit.lift?.(),
    restoreLimit: () => limit.restore?.(),
    pause: () => signalGroup(child, 'SIGSTOP'),
    resume: () => signalGroup(child, 'SIGCONT'),
    async kill() {
      signal?.removeEventListener('abort', onAbort)
      signalGroup(child, 'SIGKILL')
      if (child.pid !== undefined) await conversation.closed
      await limit.remove()
    },
  }
}

function spawnTrial(limit: CpuLimit, uv: number | null, runtime: TrialRuntime): ChildProcess {
  const env: NodeJS.ProcessEnv = { ...process.env, ...variablesOfRuntime(), ...runtime.env }
  delete env.THREADWISE_CPUS // the child is to see the limit that it runs under
  if (uv !== null) env.UV_THREADPOOL_SIZE = String(uv)
  const { file, args } = limit.wrap(runtime.node ?? process.execPath, programOfChild([], inheritedExecArgv()))
  const child = spawn(file, args, {
    env,
    cwd: runtime.cwd,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    detached: hasGroups,
  })
  endGroupWithUs(child)
  if (child.pid !== undefined) limit.adopt(child.pid)
  child.send(trialCode, () => {}) // what fails with it fails with the first question
  return child
}

interface TrialConversation {
  readonly ask: TrialProcess['ask']
  readonly closed: Promise<void>
  end(reason: string): void
}

function converse(child: ChildProcess): TrialConversation {
  let lastWords = ''
  let ended: string | undefined
  let asked = 0
  const waiting = new Map<number, (answer: TrialAnswer) => void>()
  const settle = (reason: string) => {
    ended ??= reason
    for (const resolve of waiting.values()) resolve({ failed: ended })
    waiting.clear()
  }
  const end = (reason: string) => {
    settle(reason)
    signalGroup(child, 'SIGKILL')
  }
  child.stderr!.on('data', (data: Buffer) => (lastWords = (lastWords + data.toString()).slice(-TAIL_LENGTH)))
  const up = untilUp(child)
  child.on('message', (told: FromTrial) => 'id' in told && waiting.get(told.id)?.(told.answer))
  child.on('error', (error) => settle(`its process could not be started: ${error.message}`))
  const closed = new Promise<void>((resolve) => {
    child.on('close', (code, exitSignal) => {
      settle(describeEnd(code, exitSignal, lastWords))
      resolve()
    })
  })
  const ask = <K extends TrialQuestion>(kind: K, question: TrialProtocol[K]['asked'], timeoutMs: number) =>
    new Promise<TrialAnswer<K>>((resolve) => {
      if (ended !== undefined) return resolve({ failed: ended })
      const id = ++asked
      let timer: NodeJS.Timeout | undefined
      const late = () => end(`it did not answer within ${seconds(timeoutMs)}`)
      void up.then(() => (timer = waiting.has(id) ? setTimeout(late, timeoutMs) : undefined))
      waiting.set(id, (answer) => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(answer)
      })
      tell(child, { id, request: { kind, ...question } }, end)
    })
  return { ask, closed, end }
}

/** Resolves once it can be asked, or has ended, or never will be up. */
function untilUp(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(resolve, START_MS).unref()
    const over = () => (clearTimeout(patience), resolve())
    child.once('message', over) // the first that it tells is that it is up
    child.once('close', over)
  })
}

function tell(child: ChildProcess, message: object, end: (reason: string) => void): void {
  try {
    // An error means that it has ended, or ends just now: why, is said by its exit.
    child.send(message, () => {})
  } catch (error) {
    end(`its arguments cannot be sent to another process: ${(error as Error).message}`)
  }
}

/**
 * Reaches what the trial started, too: a child process of its pool that is inside a synchronous task does not notice that its
 * parent is gone, and would keep the pipe of stderr open besides.
 */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  if (!hasGroups) return signal === 'SIGKILL' ? void child.kill(signal) : undefined
  try {
    process.kill(-child.pid, signal)
  } catch {
    // all of it has ended already
  }
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

function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(2))} s`
}
