// Starts a service in the background and waits until it serves: a process of its own for each, so that no service depends
// on another one.

import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import {
  isThreadwiseError,
  reviveThreadwiseError,
  ThreadwiseError,
  type ErrorCode,
} from '../../errors/errors.js'
import { logFolder } from '../../serve/logs/log-folder.js'
import { plainLines } from '../terminal/plain.js'
import { inBackground, lastLines, logOf } from './background-record.js'
import type { FromServing } from './serve-messages.js'

const program = fileURLToPath(new URL('../../cli/serving/serve-process.js', import.meta.url))

/** The exit code. */
export async function startBackground(given: AppPlan): Promise<number> {
  const plan = inBackground(given)
  const { name } = plan
  const folder = logFolder()
  // Not yet the file of that name: a service that runs may be writing it.
  const errors = join(folder, `${name}.err.${process.pid}`)
  const child = spawnDetached(plan, errors)
  let signal: string | undefined
  const release = onSignals((received) => {
    signal = received
    child.kill('SIGTERM')
  })
  try {
    const { pid, instances } = await served(child, name, errors)
    renameSync(errors, join(folder, `${name}.err`))
    const count =
      instances === 0 ? 'waits for its time' : `${instances} ${instances === 1 ? 'instance' : 'instances'}`
    process.stdout.write(`${name}: serves in the background, process ${pid}, ${count}\nlog: ${logOf(plan)}\n`)
    return 0
  } catch (error) {
    rmSync(errors, { force: true })
    if (signal !== undefined) return 130
    sayLastWords(error, logOf(plan))
    throw error
  } finally {
    release()
    if (child.connected) child.disconnect()
    child.unref()
  }
}

/** The log has more than the error: what the app itself wrote before it ended. */
function sayLastWords(error: unknown, path: string): void {
  if (!isThreadwiseError(error) || error.code !== 'TW_ERR_INSTANCE_FAILED') return
  const lines = lastLines(path).map((line) => `  ${line}\n`)
  process.stderr.write(plainLines(`${lines.join('')}log: ${path}\n`))
}

/** With what its own code does not catch in a file beside the log: faults of Node cannot be written line by line. */
function spawnDetached(plan: AppPlan, errors: string): ChildProcess {
  const output = openSync(errors, 'w', 0o600)
  try {
    const child = spawn(process.execPath, [...process.execArgv, program, plan.name, ...[plan.file].flat()], {
      ...{ detached: true, serialization: 'advanced' }, // variables that are undefined stay so
      stdio: ['ignore', output, output, 'ipc'],
    })
    child.on('error', () => {}) // 'close' follows
    child.send({ plan, isBackground: true, hasTerminal: false }, () => {})
    return child
  } finally {
    closeSync(output)
  }
}

/** @throws TW_ERR_BACKGROUND_FAILED (as a rejection), and what the service throws */
function served(
  child: ChildProcess,
  name: string,
  errors: string,
): Promise<FromServing & { type: 'serving' }> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromServing) => {
      if (message.type === 'serving') return resolve(message)
      if (message.code === null) return reject(new Error(message.message))
      reject(Object.assign(reviveThreadwiseError(message.message), { code: message.code as ErrorCode }))
    })
    child.once('close', (code: number | null, signal: string | null) => {
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`
      const output = readFileSync(errors, 'utf8').trim().slice(-2000) || 'It wrote nothing.'
      reject(new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', { name, how, output }))
    })
  })
}

function onSignals(end: (signal: string) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  return () => {
    for (const signal of signals) process.off(signal, end)
  }
}
