// Where agents connect, and the conversation with each.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onLines, sendLine, agentSocketPath } from './json-lines.js'
import type { AgentAnswers, AgentMessage, WatchedFunction } from './messages.js'

/** A process of the app, which answers from within. */
export interface Agent {
  readonly pid: number
  /** Its version of Node.js. */
  readonly node: string
  ask<Question extends keyof AgentAnswers>(
    question: Question,
    functions?: WatchedFunction[],
  ): Promise<AgentAnswers[Question]>
}

/** The app ended while it was looked at. */
export class AppEnded extends Error {}

/** Its event loop does not turn, so its agent cannot answer. */
export class AppBlocked extends Error {}

export const ANSWER_SECONDS = 20

export interface AgentServer {
  /** Of this diagnosis, for this user alone. */
  readonly folder: string
  close(): void
}

export async function listenForAgents(welcome: (socket: Socket) => void): Promise<AgentServer> {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-doctor-'))
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    welcome(socket)
  })
  await new Promise<void>((resolve) => server.listen(agentSocketPath(folder), resolve))
  if (process.platform !== 'win32') chmodSync(agentSocketPath(folder), 0o600)
  return {
    folder,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What an agent says by itself goes to `onMessage`; a question rejects with AppEnded when it goes, and with AppBlocked when it is silent. */
export function talkToAgent(
  socket: Socket,
  onMessage: (message: Exclude<AgentMessage, { says: 'replies' }>) => void,
): Agent['ask'] {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let asked = 0
  const take = (id: number) => {
    const found = waiting.get(id)
    waiting.delete(id)
    return found
  }
  socket.on('close', () => {
    for (const id of waiting.keys()) take(id)!.reject(new AppEnded())
  })
  onLines<AgentMessage>(socket, (message) => {
    if (message.says !== 'replies') onMessage(message)
    else if (message.error !== undefined) take(message.id)?.reject(new Error(message.error))
    else take(message.id)?.resolve(message.value as never)
  })
  return (question, functions) => {
    const id = ++asked
    let timer: NodeJS.Timeout
    return new Promise<never>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      timer = setTimeout(() => take(id)?.reject(new AppBlocked()), ANSWER_SECONDS * 1000)
      if (socket.destroyed) reject(new AppEnded())
      else sendLine(socket, { id, ask: question, functions })
    }).finally(() => clearTimeout(timer))
  }
}
