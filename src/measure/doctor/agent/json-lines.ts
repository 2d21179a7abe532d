// Messages between doctor and the app: a line of JSON each, on a local socket.

import type { Socket } from 'node:net'
import { join } from 'node:path'

/** Names the folder of a diagnosis to the app and to all that it starts. */
export const FOLDER_VARIABLE = 'THREADWISE_DOCTOR'

/** The same to a process that ran already: a global symbol, for a moment. */
export const ATTACH_FOLDER = 'threadwise.doctor.folder'

/** Windows has no sockets in folders, but pipes with names. */
export function socketPath(folder: string): string {
  return process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replace(/\W+/g, '-')}` : join(folder, 'doctor')
}

export function sendLine(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\n`)
}

export function onLines<Message>(socket: Socket, receive: (message: Message) => void): void {
  let parts: string[] = []
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    const lines = text.split('\n')
    parts.push(lines[0]!)
    for (const line of lines.slice(1)) {
      receive(JSON.parse(parts.join('')) as Message)
      parts = [line]
    }
  })
}
