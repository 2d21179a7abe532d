// Brings the agent into a process that runs already, and takes it out again.

import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../../../primitives/is-alive.js'
import { programOfChild } from '../../../primitives/run-text.js'
import { connectTo } from '../../../user/control-socket.js'
import { AppEnded, listenForAgents, talkToAgent, type Agent } from '../agent/agent-server.js'
import { socketOf } from '../register/registered-sockets.js'
import type { AttachOutcome } from './through-inspector.js'
import openCode from './through-inspector-entry.js?code'

/** A process that handles SIGUSR1 itself never opens its inspector, and one that is blocked does it late. */
const MAX_MS = 10_000
const LOOK_MS = 20
/** Until its agent has let go. */
const LEAVE_MS = 2000

/** Of the process, while doctor was there. */
export interface InspectorUse {
  /** For how long it was open; 0 where doctor has opened none. */
  readonly openMs: number
  /** Where it is open still: somebody is connected to it. */
  readonly leftAt: string | null
}

export interface Attached {
  readonly agent: Agent
  /** Rejects when the process has ended, or when interrupted. */
  readonly lost: Promise<never>
  /** How doctor came in. */
  readonly by: 'inspector' | 'socket'
  readonly inspector: () => InspectorUse
  /** The process goes on as it was before. Never rejects. */
  leave(): Promise<void>
}

/** Of a process that waits for doctor: no inspector is opened. Null: it does not wait, and a sentence where it does not answer. Rejects when interrupted. */
export async function attachRegistered(pid: number, signal: AbortSignal): Promise<Attached | string | null> {
  const path = socketOf(pid)
  if (path === null) return null
  let isConnected = false
  let agentOn: (socket: Socket) => void
  const agentThere = new Promise<Socket>((resolve) => (agentOn = resolve)).then(agentOf)
  const socket = connectTo(path, (connected) => {
    isConnected = true
    agentOn(connected)
  })
  socket.on('error', () => {})
  const interrupted = whenAborted(signal)
  const ended = new Promise<null>((resolve) => socket.once('close', () => resolve(null)))
  try {
    const agent = await Promise.race([agentThere, ended, silence(pid), interrupted])
    // What is there of a process that was killed answers nobody.
    if (agent === null) return isConnected && isAlive(pid) ? `Another doctor looks at process ${pid}.` : null
    if (typeof agent === 'string') return (socket.destroy(), agent)
    if (agent.pid !== pid) return (socket.destroy(), null)
    const lost = Promise.race([ended.then(() => Promise.reject(new AppEnded())), interrupted])
    lost.catch(() => {})
    const leave = () => leaveProcess(socket)
    return { agent, lost, by: 'socket', inspector: () => ({ openMs: 0, leftAt: null }), leave }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** The event loop may stand still, and then its agent says nothing. */
function silence(pid: number): Promise<string> {
  const what = `Process ${pid} did not answer within ${MAX_MS / 1000} s: its event loop is blocked.`
  return pause(MAX_MS, what, { ref: false })
}

function whenAborted(signal: AbortSignal): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  interrupted.catch(() => {}) // nobody may be waiting for it
  return interrupted
}

/** By its inspector. A sentence where it is not possible. Rejects when interrupted. */
export async function attach(pid: number, signal: AbortSignal): Promise<Attached | string> {
  let welcome: (socket: Socket) => void
  const connected = new Promise<Socket>((resolve) => (welcome = resolve))
  const server = await listenForAgents((socket) => welcome(socket))
  const interrupted = whenAborted(signal)
  try {
    const opened = await Promise.race([openInspector(pid, server.folder, signal), interrupted])
    if (typeof opened === 'string') return (server.close(), opened)
    const socket = await Promise.race([connected, interrupted, whyNoAgent(pid, connected)])
    if (typeof socket === 'string') return (server.close(), socket)
    const ended = new Promise<never>((_, reject) => socket.once('close', () => reject(new AppEnded())))
    const lost = Promise.race([ended, interrupted])
    lost.catch(() => {})
    const agent = await Promise.race([agentOf(socket), lost, silence(pid)])
    if (typeof agent === 'string') return (server.close(), agent)
    opened.turned()
    const leave = () => leaveProcess(socket).finally(() => server.close())
    return { agent, lost, by: 'inspector', inspector: opened.use, leave }
  } catch (error) {
    server.close()
    throw error
  }
}

/** Its agent connects in its next turn, before which it may end. */
async function whyNoAgent(pid: number, connected: Promise<Socket>): Promise<string> {
  let isConnected = false
  void connected.then(() => (isConnected = true))
  const end = performance.now() + MAX_MS
  while (!isConnected && isAlive(pid) && performance.now() < end) await pause(LOOK_MS)
  return isAlive(pid)
    ? `The agent in process ${pid} did not reach doctor within ${MAX_MS / 1000} s.`
    : `Process ${pid} has ended.`
}

function agentOf(socket: Socket): Promise<Agent> {
  return new Promise((resolve) => {
    const ask = talkToAgent(socket, (message) => {
      if (message.says === 'starts') resolve({ pid: message.pid, node: message.node, ask })
    })
  })
}

interface Opened {
  readonly use: () => InspectorUse
  /** To be called when the agent is heard of. */
  readonly turned: () => void
}

/** By a child that outlives doctor: what it has opened it closes. A sentence where it could not. */
function openInspector(pid: number, folder: string, signal: AbortSignal): Promise<Opened | string> {
  const child = spawn(process.execPath, programOfChild([String(pid), folder]), {
    detached: true, // Ctrl-C is not for it
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Nothing of the environment: it may name a proxy, or code. The packages of ws are not in its text.
    env: { WS_NO_BUFFER_UTIL: '1', WS_NO_UTF_8_VALIDATE: '1' },
  })
  child.unref()
  child.channel?.unref()
  child.send(openCode, () => {})
  const from = performance.now()
  let use: InspectorUse = { openMs: 0, leftAt: null }
  return new Promise<Opened | string>((resolve) => {
    const late = `Process ${pid} did not open its inspector within ${MAX_MS / 1000} s: it handles SIGUSR1 itself, or its event loop is blocked. Should it open it later, it is closed at once.`
    const timer = setTimeout(resolve, MAX_MS, late)
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true })
    child.on('message', (outcome: AttachOutcome) => {
      if (outcome.says === 'problem') return resolve(outcome.problem)
      if (outcome.says === 'closed') return void (use = { openMs: outcome.openMs, leftAt: null })
      clearTimeout(timer)
      const openedAt = performance.now()
      const leftAt = outcome.port === 0 ? null : `127.0.0.1:${outcome.port}`
      if (leftAt !== null) use = { openMs: performance.now() - from, leftAt }
      resolve({
        use: () => (use.leftAt === null ? use : { ...use, openMs: performance.now() - openedAt }),
        turned: () => void (child.connected && child.send('turned', () => {})),
      })
    })
    child.once('error', (error) => resolve(error.message))
    child.once('exit', () => resolve(`Process ${pid} could not be reached.`))
  })
}

function leaveProcess(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LEAVE_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.end()
    if (socket.closed) resolve()
  })
}
