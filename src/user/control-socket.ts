// By what programs of one user talk to each other: something at a path in a private folder (runtime-folder.ts). Nobody else can reach it.
//
//   Linux, macOS   the path is a socket, of mode 0600
//   Windows        the path is a file that names a pipe, and holds two secrets: pipes lie in no folder, and everybody may list them
//
//   who asks                                  who listens on the pipe
//     the first secret   ────────────────>      lets in nobody without it
//     goes on            <──── the second       shows that it has written the file: the name of a pipe that is gone may be another user's

import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { readOwnFile } from './read-own-file.js'

/** Whoever connects to a pipe and does not say the secret is sent away after so many milliseconds. */
const GREETING_MS = 5000
const SECRET_BYTES = 64

const net = () => process.getBuiltinModule('node:net')
const crypto = () => process.getBuiltinModule('node:crypto')

/** Gives the name of a new pipe; undefined where sockets are files. Tests use another one. */
export type NewPipe = (() => string) | undefined

const newPipe: NewPipe =
  process.platform === 'win32' ? () => `\\\\.\\pipe\\threadwise-${newSecret()}` : undefined

export interface ControlSocket {
  readonly server: Server
  /** Takes the path away, and lets nobody in any more. */
  close(): void
}

/**
 * `welcome`: is given each connection that may ask. `settled`: called once, when it listens, or with the error why it does not.
 * What lies at the path before must be removed by the caller.
 */
export function listenAt(
  path: string,
  welcome: (socket: Socket) => void,
  settled: (error?: Error) => void,
  pipe: NewPipe = newPipe,
): ControlSocket {
  const place = pipe && { pipe: pipe(), question: newSecret(), answer: newSecret() }
  const server = net().createServer(place ? (socket) => admit(socket, place, welcome) : welcome)
  const protect = () => {
    try {
      if (place) writePlace(path, place)
      else chmodSync(path, 0o600)
      settled()
    } catch (error) {
      settled(error as Error)
    }
  }
  server.once('error', settled)
  // Of a cluster the primary would listen in its place.
  server.listen({ path: place?.pipe ?? path, exclusive: true }, () => {
    server.off('error', settled)
    protect()
  })
  return {
    server,
    close() {
      server.close() // which removes a socket
      if (place) rmSync(path, { force: true })
    },
  }
}

/**
 * A connection to what listens at a path. `ready`: called when it may be asked; before that nothing may be read or written. Where nobody listens it
 * emits an error whose code is ENOENT or ECONNREFUSED.
 */
export function connectTo(
  path: string,
  ready: (socket: Socket) => void,
  isPipe = newPipe !== undefined,
): Socket {
  if (!isPipe) {
    const socket = net().connect(path, () => ready(socket))
    return socket
  }
  try {
    const place = readPlace(path)
    const socket = net().connect(place.pipe, () => {
      socket.write(place.question)
      onSecret(socket, place.answer, () => ready(socket))
    })
    return socket
  } catch (error) {
    return new (net().Socket)().destroy(error as Error)
  }
}

interface Place {
  readonly pipe: string
  readonly question: string
  readonly answer: string
}

/** Whoever reads it finds all of it. */
function writePlace(path: string, place: Place): void {
  const temporary = `${path}.new`
  writeFileSync(temporary, JSON.stringify(place), { mode: 0o600 })
  renameSync(temporary, path)
}

function readPlace(path: string): Place {
  try {
    const { pipe, question, answer } = JSON.parse(readOwnFile(path)) as Partial<Place>
    const isWhole = [pipe, question, answer].every((each) => typeof each === 'string')
    if (isWhole) return { pipe, question, answer } as Place
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error
  }
  throw Object.assign(new Error(`${path} names no pipe.`), { code: 'ECONNREFUSED' })
}

function admit(socket: Socket, { question, answer }: Place, welcome: (socket: Socket) => void): void {
  const ignore = () => {}
  const late = () => socket.destroy()
  socket.on('error', ignore) // who asks has gone
  socket.setTimeout(GREETING_MS, late)
  onSecret(socket, question, () => {
    socket.setTimeout(0, late)
    socket.write(answer)
    welcome(socket)
    socket.off('error', ignore)
  })
}

/** Nothing is read behind it: the other side waits. */
function onSecret(socket: Socket, expected: string, then: () => void): void {
  const look = () => {
    const received = socket.read(SECRET_BYTES) as Buffer | null
    if (received === null) return
    socket.off('readable', look)
    if (isSame(received, expected)) then()
    else socket.destroy(new Error('The other side is not the one that was expected.'))
  }
  socket.on('readable', look)
}

function isSame(received: Buffer, expected: string): boolean {
  const wanted = Buffer.from(expected)
  return received.length === wanted.length && crypto().timingSafeEqual(received, wanted)
}

function newSecret(): string {
  return crypto()
    .randomBytes(SECRET_BYTES / 2)
    .toString('hex')
}
