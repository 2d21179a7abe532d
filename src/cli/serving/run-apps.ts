// Several apps in the foreground: a process for each, so that none takes the others with it, and this one in front of them.

import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import { inBackground } from '../background/background-record.js'
import type { FromServing, StartServing, ToServing } from '../background/serve-messages.js'
import type { Systemd } from './notify-systemd.js'
import { createAsked } from '../terminal/asked-to-end.js'
import { pause } from '../terminal/interrupt.js'

const program = fileURLToPath(new URL('../../cli/background/serve-process.js', import.meta.url))

const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 60_000
/** An app that has run for so long was stable. */
const STABLE_MS = 60_000

interface Front {
  readonly children: Set<ChildProcess>
  /** Aborted when all are to end. */
  readonly stop: AbortController
  /** Asked at the start: a terminal that was closed is none. */
  readonly hasTerminal: boolean
}

/** Resolves when all have ended, with the exit code: 1 when one of them failed. */
export async function runApps(plans: readonly AppPlan[], systemd: Systemd): Promise<number> {
  const front: Front = { children: new Set(), stop: new AbortController(), hasTerminal: process.stdin.isTTY }
  const release = onSignals(front)
  try {
    const waiting = new Set(plans)
    const onStarted = (plan: AppPlan) => {
      if (waiting.delete(plan) && waiting.size === 0) systemd.ready()
    }
    const codes = await Promise.all(plans.map((plan) => keepRunning(plan, front, onStarted)))
    return Math.max(...codes)
  } finally {
    release()
  }
}

/** One that ends with an error is started again, whether it has served or not: what it needs may come later. */
async function keepRunning(plan: AppPlan, front: Front, onStarted: (plan: AppPlan) => void): Promise<number> {
  let delayMs = FIRST_DELAY_MS
  for (;;) {
    const startedAt = Date.now()
    const { code, how } = await runOnce(plan, front, () => onStarted(plan))
    if (code === 0) return 0
    if (front.stop.signal.aborted) return code
    onStarted(plan) // what cannot start now must not hold up whoever waits for the others
    if (plan.options.restart === 'never') return code
    if (Date.now() - startedAt > STABLE_MS) delayMs = FIRST_DELAY_MS
    say(plan, `its process ended ${how}; it is started again in ${delayMs} ms`)
    await pause(delayMs, front.stop.signal)
    if (front.stop.signal.aborted) return 1
    delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)
  }
}

/** `onStarted`: it serves, or could not at first, and goes on trying. */
function runOnce(
  plan: AppPlan,
  { children, hasTerminal }: Front,
  onStarted: () => void,
): Promise<{ code: number; how: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, program, plan.name, ...[plan.file].flat()], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    children.add(child)
    child.on('message', ({ type }: FromServing) => {
      if (type === 'serving' || type === 'failed') onStarted()
    })
    const end = (code: number, how: string) => {
      children.delete(child)
      resolve({ code, how })
    }
    child.once('error', (error) => end(1, `because it could not be started (${error.message})`))
    child.once('exit', (code, signal) => {
      end(code ?? 1, signal === null ? `with exit code ${code}` : `by ${signal}`)
    })
    const message: StartServing = {
      plan: inBackground(plan),
      isBackground: false,
      hasTerminal,
      isPatient: true,
    }
    child.send(message, () => {})
  })
}

function onSignals({ children, stop, hasTerminal }: Front): () => void {
  const asked = createAsked()
  const send = (message: ToServing) => {
    for (const child of children) if (child.connected) child.send(message, () => {})
  }
  const pass = (signal: NodeJS.Signals) => {
    const isReload = signal === 'SIGUSR2' || (signal === 'SIGHUP' && !hasTerminal)
    if (isReload) return send('reload')
    const times = asked(signal)
    if (times === 'same') return
    stop.abort()
    send(times === 'again' ? 'kill' : 'stop')
  }
  const signals: NodeJS.Signals[] = [
    'SIGTERM',
    'SIGINT',
    'SIGHUP',
    ...(process.platform === 'win32' ? [] : (['SIGUSR2'] as const)),
  ]
  for (const signal of signals) process.on(signal, pass)
  return () => {
    for (const signal of signals) process.off(signal, pass)
  }
}

function say({ name }: AppPlan, text: string): void {
  process.stderr.write(`${name}: ${text}\n`)
}
