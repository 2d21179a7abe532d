// Opens the inspector of a process, runs the agent there, and sees to it that the inspector is closed again.
//
//   signal ──> open ──> the agent runs ──> a thread of the process waits until nobody is connected ──> closed
//     │          │                                                 │
//     │          └── it did not answer ──> asked again, to close alone <── somebody stays: looked at from here, until it goes
//     └── opens nothing: it is waited for, since a blocked process does it when it goes on
//
// This is a program of its own, which goes on when doctor is killed: whoever has opened the inspector closes it. It ends when the inspector
// is closed, or when the process has ended.

import { setTimeout as pause } from 'node:timers/promises'
import agentCode from '../agent/attached-entry.js?code'
import { ATTACH_FOLDER } from '../agent/json-lines.js'
import { askInspector } from './ask-inspector.js'
import closeCode from './close-inspector-entry.js?code'
import { countConnections } from './count-connections.js'
import { inspectorPlace } from './inspector-place.js'
import { factsOf, listeningPorts, startTimeOf } from './process-facts.js'

/** At first, and when it takes long. */
const LOOK_MS = 10
const SLOW_MS = 250
const SLOWEST_MS = 2000
const SOON_MS = 10_000
const LONG_MS = 60_000
/** A process that has not opened it by then handles the signal in its own way. */
const NEVER_MS = 3_600_000
/** A process whose code has changed the port of its inspector opens another one. */
const OTHER_PORT_MS = 1000
/** The thread in the process needs that long to close it where nobody is connected. */
const CLOSE_MS = 2000

/** For as long it is seen to that it stays closed where nobody knows whether the event loop turns. */
const AGAIN_MS = 60_000

export type AttachOutcome =
  | { readonly says: 'problem'; readonly problem: string }
  /** Port 0: it had been open before, and stays so. */
  | { readonly says: 'attached'; readonly port: number }
  | { readonly says: 'closed'; readonly openMs: number }

export interface Inspected {
  readonly pid: number
  /** Where doctor listens. */
  readonly folder: string
  /** Whether doctor is there still. */
  readonly isWanted: () => boolean
  /** Whether doctor has heard of the agent, whose event loop has turned then. */
  readonly hasTurned: () => boolean
  readonly tell: (outcome: AttachOutcome) => void
}

export async function startAgentIn({ pid, folder, isWanted, hasTurned, tell }: Inspected): Promise<void> {
  const problem = (text: string) => tell({ says: 'problem', problem: text })
  const facts = factsOf(pid)
  if (facts === null) return problem(`Process ${pid} has ended.`)
  const known = portsOf(pid)
  const { port: configured } = inspectorPlace(facts)
  const isRunning = stillRuns(pid)
  if (known.includes(configured)) {
    const said = await startAt(configured, programFor({ pid, folder, port: null }))
    return said === ATTACHED ? tell({ says: 'attached', port: 0 }) : problem(notStarted(pid, said))
  }
  process.kill(pid, 'SIGUSR1')
  const port = await untilOpen({ pid, known, configured, isRunning })
  if (port === null) return problem(`Process ${pid} has ended, or opens no inspector.`)
  const openedAt = performance.now()
  const said = await startAt(port, programFor({ pid, folder: isWanted() ? folder : null, port }))
  if (said === ATTACHED) tell({ says: 'attached', port })
  else problem(`${notStarted(pid, said)} Its inspector is closed as soon as that is possible.`)
  await untilClosed({ pid, port, isRunning })
  tell({ says: 'closed', openMs: performance.now() - openedAt })
  // Where its loop stood still it opens once more.
  for (const end = performance.now() + AGAIN_MS; performance.now() < end && !hasTurned();)
    await pause(SLOW_MS)
  await untilClosed({ pid, port, isRunning })
}

const notStarted = (pid: number, said: string) => `The agent could not be started in process ${pid}: ${said}.`

/** What it said, or why it said nothing. */
async function startAt(port: number, program: string): Promise<string> {
  try {
    return await askInspector(port, program)
  } catch (error) {
    return (error as Error).message
  }
}

function portsOf(pid: number): number[] {
  try {
    return listeningPorts(pid).flatMap(({ port, isIts }) => (isIts ? [port] : []))
  } catch {
    return [] // it has ended
  }
}

/** Another process may get its number. */
function stillRuns(pid: number): () => boolean {
  const started = startTimeOf(pid)
  return () => started !== null && startTimeOf(pid) === started
}

interface Opening {
  readonly pid: number
  /** Ports before that. */
  readonly known: readonly number[]
  readonly configured: number
  readonly isRunning: () => boolean
}

/** Null: it has ended. */
async function untilOpen({ pid, known, configured, isRunning }: Opening): Promise<number | null> {
  const from = performance.now()
  while (isRunning()) {
    const ports = portsOf(pid)
    if (ports.includes(configured)) return configured
    const passedMs = performance.now() - from
    if (passedMs > OTHER_PORT_MS)
      for (const port of ports.filter((each) => !known.includes(each)))
        if ((await startAt(port, 'process.pid')) === String(pid)) return port
    if (passedMs > NEVER_MS) return null
    await pause(passedMs < SOON_MS ? LOOK_MS : passedMs < LONG_MS ? SLOW_MS : SLOWEST_MS)
  }
  return null
}

interface Closing {
  readonly pid: number
  readonly port: number
  readonly isRunning: () => boolean
}

async function untilClosed({ pid, port, isRunning }: Closing): Promise<void> {
  let askedAt = performance.now()
  while (isRunning() && portsOf(pid).includes(port)) {
    const passedMs = performance.now() - askedAt
    if (passedMs > CLOSE_MS && countConnections(port) <= 0) {
      await startAt(port, programFor({ pid, folder: null, port }))
      askedAt = performance.now()
    }
    await pause(passedMs < CLOSE_MS ? LOOK_MS : SLOW_MS)
  }
}

const ATTACHED = 'attached'

interface Program {
  readonly pid: number
  /** Null: no agent is started. */
  readonly folder: string | null
  /** Null: the inspector stays open. */
  readonly port: number | null
}

/** Says whether the agent was started. Nothing that it does may throw into the app, and it needs no global but that of the language. */
function programFor({ pid, folder, port }: Program): string {
  return `(() => {
    const process = globalThis.process?.getBuiltinModule ? globalThis.process : require('node:process')
    const builtin = process.getBuiltinModule ?? require
    if (process.pid !== ${pid}) return 'process ' + process.pid + ' answers there'
    const begin = () => {
      if (!process.getBuiltinModule) return 'it is Node.js ' + process.version + ', and 20.16 is needed'
      if (${folder === null}) return ''
      globalThis[Symbol.for(${JSON.stringify(ATTACH_FOLDER)})] = ${JSON.stringify(folder)}
      const start = ${agentCode}
      start()
      return ${JSON.stringify(ATTACHED)}
    }
    const close = () => {
      const { Worker } = builtin('worker_threads')
      const turned = new Int32Array(new SharedArrayBuffer(4))
      const options = { eval: true, env: {}, execArgv: [], workerData: { port: ${port}, turned } }
      // The second one comes after the loop has looked for what was sent to it.
      const { setImmediate } = builtin('timers')
      setImmediate(() => setImmediate(() => {
        Atomics.store(turned, 0, 1)
        Atomics.notify(turned, 0)
      }))
      new Worker(${JSON.stringify(`${closeCode}()`)}, options).on('error', () => {}).unref()
    }
    let said
    try { said = begin() } catch (error) { said = String(error) }
    try { if (${port !== null}) close() } catch (error) { said = 'no thread can be started there (' + error + ')' }
    return said
  })()`
}
