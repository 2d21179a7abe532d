// A profile of an instance, by `threadwise doctor --attach` in a process of its own: what it computes must not hold up the pages.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { shown } from './look/log-tail.js'
import type { Flame, ActionOutcome } from './look/view.js'

const program = fileURLToPath(new URL('../../cli/main.js', import.meta.url))
/** Of doctor, of which one takes no more than a minute. */
const LIMIT_MS = 90_000
const MOST_BYTES = 32 * 1024 ** 2

let isBusy = false

export async function takeProfile(service: string, signal: AbortSignal): Promise<ActionOutcome> {
  if (isBusy)
    return { ok: false, text: 'Another profile is being taken: two at a time would see each other.' }
  isBusy = true
  try {
    return outcomeOf(await runDoctor(service, signal))
  } finally {
    isBusy = false
  }
}

interface Told {
  readonly output: string
  readonly errors: string
}

/** Ends it when nobody waits for it any more. Doctor lets go of the process then. */
function runDoctor(service: string, signal: AbortSignal): Promise<Told> {
  const child = spawn(process.execPath, [program, 'doctor', '--attach', service, '--json', '-'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const told = { output: '', errors: '' }
  const end = () => child.kill('SIGTERM')
  const timer = setTimeout(end, LIMIT_MS)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told.output += text
    if (told.output.length > MOST_BYTES) child.kill('SIGKILL')
  })
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (told.errors = (told.errors + text).slice(-4000)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve(told)
    })
  })
}

function outcomeOf({ output, errors }: Told): ActionOutcome {
  try {
    const { sentence, problem, trace } = JSON.parse(output) as {
      sentence: string
      problem: string | null
      trace: { flame: Flame | null } | null
    }
    return { ok: problem === null || problem === 'idle', text: shown(sentence), flame: trace?.flame ?? null }
  } catch {
    const [line = 'doctor gave no answer'] = errors.trim().split('\n').slice(-1)
    return { ok: false, text: shown(line) }
  }
}
