// Waits for doctor in a program that was started without it: on a socket of its own, as long as the program runs. It keeps no program alive.

import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { listenAt } from '../../../user/control-socket.js'
import { startAttached } from '../agent/attached.js'
import { ownSocket } from './registered-sockets.js'

export function registerForDoctor(): void {
  if (!isMainThread) return // threads of the program load it too
  if (isRefused()) return warn(new Error("Node's permission model refuses it without --allow-inspector"))
  try {
    const path = ownSocket()
    const { server } = listenAt(path, welcomeOne(), (error) => {
      if (error) warn(error)
      else server.on('error', warn)
    })
    server.unref()
    process.once('exit', () => rmSync(path, { force: true }))
  } catch (error) {
    warn(error)
  }
}

/** Two would end each other's profiles. */
function welcomeOne(): (socket: Socket) => void {
  let present: Socket | null = null
  return (socket) => {
    socket.on('error', () => {})
    if (present !== null && !present.closed) return void socket.destroy()
    present = socket
    socket.unref()
    try {
      startAttached(socket)
    } catch (error) {
      socket.destroy() // the program goes on as if nobody had come
      warn(error)
    }
  }
}

/** V8 is asked by a session of the inspector. */
function isRefused(): boolean {
  const { permission } = process as { permission?: { has(scope: string): boolean } }
  return permission !== undefined && !permission.has('inspector')
}

function warn(error: unknown): void {
  const message = `There is no socket by which doctor could look at this program: ${(error as Error).message}`
  process.emitWarning(message, { type: 'ThreadwiseWarning', code: 'TW_WARN_DOCTOR' })
}
