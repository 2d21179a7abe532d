// Brings the agent into a process that runs already, and takes it out again.

import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../../../primitives/is-alive.js'
import { programOfChild } from '../../../primitives/run-text.js'
import { AppEnded, listenForAgents, talkToAgent, type Agent } from '../agent/agent-server.js'
import type { Outcome } from './through-inspector.js'
import openCode from './through-inspector-entry.js?code'

/** A process that handles SIGUSR1 itself never opens its inspector, and one that is blocked does it late. */
const MAX_MS = 10_000
const LOOK_MS = 20
/** Until its agent has let go. */
const LEAVE_MS = 2000

export interface Attached {
  readonly agent: Agent
  /** Rejects when the process has ended, or when interrupted. */
  readonly lost: Promise<never>
  /** For how long its inspector was open; 0 where it had been open before, and is still. */
  readonly openMs: number
  /** The process goes on as it was before. Never rejects. */
  leave(): Promise<void>
}

/** A sentence where it is not possible. Rejects when interrupted. */
export async function attach(pid: number, signal: AbortSignal): Promise<Attached | string> {
  let welcome: (socket: Socket) => void
  const connected = new Promise<Socket>((resolve) => (welcome = resolve))
  const server = await listenForAgents((socket) => welcome(socket))
  const interrupted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  interrupted.catch(() => {}) // nobody may be waiting for it
  try {
    const outcome = await Promise.race([openInspector(pid, server.folder, signal), interrupted])
    if (outcome.problem !== null) return (server.close(), outcome.problem)
    const socket = await Promise.race([connected, interrupted, whyNoAgent(pid, connected)])
    if (typeof socket === 'string') return (server.close(), socket)
    const ended = new Promise<never>((_, reject) => socket.once('close', () => reject(new AppEnded())))
    const lost = Promise.race([ended, interrupted])
    lost.catch(() => {})
    const agent = await Promise.race([agentOf(socket), lost])
    const leave = () => leaveProcess(socket).finally(() => server.close())
    return { agent, lost, openMs: outcome.openMs, leave }
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

/** By a child that outlives doctor: what it has opened it closes. */
function openInspector(pid: number, folder: string, signal: AbortSignal): Promise<Outcome> {
  const child = spawn(process.execPath, programOfChild([String(pid), folder]), {
    detached: true, // Ctrl-C is not for it
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, WS_NO_BUFFER_UTIL: '1', WS_NO_UTF_8_VALIDATE: '1' }, // packages of ws that are not in its text
  })
  child.unref()
  child.send(openCode, () => {})
  return new Promise<Outcome>((resolve) => {
    const late = { problem: `Process ${pid} did not open its inspector within ${MAX_MS / 1000} s: it handles SIGUSR1 itself, or its event loop is blocked. Should it open it within a minute, it is closed at once.` } // prettier-ignore
    const timer = setTimeout(resolve, MAX_MS, late)
    const tell = (outcome: Outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    signal.addEventListener('abort', () => tell({ problem: 'interrupted' }), { once: true })
    child.once('message', tell)
    child.once('error', (error) => tell({ problem: error.message }))
    child.once('exit', () => tell({ problem: `Process ${pid} could not be reached.` }))
  }).finally(() => child.connected && child.disconnect())
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
