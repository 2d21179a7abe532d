// Messages between doctor and the app: a line of JSON each, on a local socket.

import type { Socket } from 'node:net'
import { join } from 'node:path'

/** Names the folder of a diagnosis to the app and to all that it starts. */
export const FOLDER_VARIABLE = 'THREADWISE_DOCTOR'

/** The same to a process that ran already: a global symbol, for a moment. */
export const ATTACH_FOLDER = 'threadwise.doctor.folder'

/** Set where the app is to listen at free ports, whatever port it asks for. */
export const FREE_PORTS_VARIABLE = 'THREADWISE_DOCTOR_FREE_PORTS'

/** Windows has no sockets in folders, but pipes with names. */
export function agentSocketPath(folder: string): string {
  return process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replace(/\W+/g, '-')}` : join(folder, 'doctor')
}

export function sendLine(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\n`)
}

/** Who sends what is no message is no side of ours, and is not listened to any more. */
export function onLines<Message>(socket: Socket, receive: (message: Message) => void): void {
  let parts: string[] = []
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    const lines = text.split('\n')
    parts.push(lines[0]!)
    for (const line of lines.slice(1)) {
      const message = messageOf<Message>(parts.join(''))
      if (message === null) return void socket.destroy()
      receive(message)
      parts = [line]
    }
  })
}

function messageOf<Message>(text: string): Message | null {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' ? (value as Message) : null
  } catch {
    return null
  }
}
