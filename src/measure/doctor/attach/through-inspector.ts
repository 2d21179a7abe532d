// Opens the inspector of a process, runs the agent there, and closes the inspector again.
//
// This is a program of its own, which goes on when doctor is killed: whoever has opened the inspector closes it.

import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import agentCode from '../agent/attached-entry.js?code'
import { ATTACH_FOLDER } from '../agent/json-lines.js'
import { inspectorPlace } from './inspector-place.js'
import { factsOf, listeningPorts } from './process-facts.js'

/** A process that is blocked opens its inspector when it is not any more; as long as this somebody is there to close it. */
const MAX_MS = 60_000
const LOOK_MS = 10

export type Outcome =
  | { readonly problem: string }
  /** For how long it was open; 0 where it had been open before, and is still. */
  | { readonly problem: null; readonly port: number; readonly openMs: number }

export async function startAgentIn(pid: number, folder: string): Promise<Outcome> {
  const facts = factsOf(pid)
  if (facts === null) return { problem: `Process ${pid} has ended.` }
  const known = portsOf(pid)
  const configured = inspectorPlace(facts).port
  const wasOpen = known.includes(configured)
  if (!wasOpen) process.kill(pid, 'SIGUSR1')
  try {
    const port = wasOpen ? configured : await untilOpen(pid, known)
    if (port === null) return { problem: `Process ${pid} did not open its inspector.` }
    const openedAt = performance.now()
    const said = await evaluate(port, programFor(folder, !wasOpen))
    if (!wasOpen) await untilClosed(pid, port)
    if (said !== ATTACHED) return { problem: `The agent could not be started in process ${pid}: ${said}.` }
    return { problem: null, port, openMs: wasOpen ? 0 : performance.now() - openedAt }
  } catch (error) {
    return { problem: `Process ${pid} could not be reached: ${(error as Error).message}.` }
  }
}

function portsOf(pid: number): number[] {
  return listeningPorts(pid).flatMap(({ port, isIts }) => (isIts ? [port] : []))
}

async function untilOpen(pid: number, known: readonly number[]): Promise<number | null> {
  const end = performance.now() + MAX_MS
  while (performance.now() < end) {
    const port = portsOf(pid).find((each) => !known.includes(each))
    if (port !== undefined) return port
    await pause(LOOK_MS)
  }
  return null
}

async function untilClosed(pid: number, port: number): Promise<void> {
  const end = performance.now() + MAX_MS
  while (portsOf(pid).includes(port) && performance.now() < end) await pause(LOOK_MS)
}

const ATTACHED = 'attached'

/** Says whether the agent was started. The inspector is closed in the next turn: it cannot end while it is asked. */
function programFor(folder: string, closes: boolean): string {
  return `(() => {
    const builtin = (name) => process.getBuiltinModule ? process.getBuiltinModule(name) : null
    const close = () => process.getBuiltinModule ? builtin('inspector').close() : process._debugEnd()
    try {
      if (!process.getBuiltinModule) return 'it is Node.js ' + process.version + ', and 20.16 is needed'
      globalThis[Symbol.for(${JSON.stringify(ATTACH_FOLDER)})] = ${JSON.stringify(folder)}
      const start = ${agentCode}
      start()
      return ${JSON.stringify(ATTACHED)}
    } catch (error) {
      return String(error)
    } finally {
      if (${closes}) setImmediate(close)
    }
  })()`
}

interface Reply {
  id?: number
  result?: { result?: { value?: unknown } }
}

async function evaluate(port: number, expression: string): Promise<string> {
  const list = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { webSocketDebuggerUrl: string }[] // prettier-ignore
  const socket = new WebSocket(list[0]!.webSocketDebuggerUrl)
  const question = { id: 1, method: 'Runtime.evaluate', params: { expression, returnByValue: true } }
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.on('open', () => socket.send(JSON.stringify(question)))
      socket.on('message', (data) => {
        const { id, result } = JSON.parse(String(data)) as Reply
        if (id === question.id) resolve(String(result?.result?.value ?? 'no answer'))
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('its inspector was closed')))
    })
  } finally {
    socket.terminate()
  }
}
