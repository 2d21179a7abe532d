// Starts a service in the background and waits until it serves.

import type { ChildProcess } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { plainLines } from '../terminal/plain.js'
import { inBackground, lastLines, logOf } from './background-record.js'
import { checkFolder } from './start-context.js'
import { errorOf, type FailedServing, type FromServing } from './serve-messages.js'
import { startProcess, type BackgroundStart } from './start-process.js'

/** Resolves with what to say; null when a signal has ended it. Rejects when it does not serve; with `isPatient` it may go on trying. */
export async function startBackground(given: AppPlan, how: BackgroundStart): Promise<string | null> {
  const plan = inBackground(given)
  const { name } = plan
  checkFolder(name, how.context)
  const { child, errors } = startProcess(plan, how)
  child.on('error', () => {}) // 'close' follows
  let signal: string | undefined
  const release = onSignals((received) => {
    signal = received
    child.kill('SIGTERM')
  })
  try {
    const { pid, instances, isDeaf } = await served(child, name, errors)
    return `${name}: ${isDeaf ? 'runs in the background, and has listened on no port yet' : 'serves in the background'}, process ${pid}, ${count(instances)}\nlog: ${logOf(plan)}\n`
  } catch (error) {
    if (signal !== undefined) return null
    sayLastWords(error, logOf(plan))
    throw error
  } finally {
    rmSync(errors, { force: true })
    release()
    if (child.connected) child.disconnect()
    child.unref()
  }
}

function count(instances: number): string {
  return instances === 0 ? 'waits for its time' : `${instances} ${instances === 1 ? 'instance' : 'instances'}`
}

/** The log has more than the error: what the app itself wrote before it ended. */
function sayLastWords(error: unknown, path: string): void {
  if (!isThreadwiseError(error) || error.code !== 'TW_ERR_INSTANCE_FAILED') return
  const lines = lastLines(path).map((line) => `  ${line}\n`)
  process.stderr.write(plainLines(`${lines.join('')}log: ${path}\n`))
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
      if (message.type === 'failed') reject(errorOf(message, hintOf(message, name)))
    })
    child.once('close', (code: number | null, signal: string | null) => {
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`
      const output = whatItWrote(errors) || 'It wrote nothing.'
      reject(new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', { name, how, output }))
    })
  })
}

function hintOf({ isTrying }: FailedServing, name: string): string {
  return isTrying ? ` It goes on trying: "threadwise stop ${name}" ends that.` : ''
}

function whatItWrote(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().slice(-2000)
  } catch {
    return ''
  }
}

function onSignals(end: (signal: string) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  return () => {
    for (const signal of signals) process.off(signal, end)
  }
}
