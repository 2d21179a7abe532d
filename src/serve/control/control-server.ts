// The control socket of a running service: only its own user can reach it.

import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { ownerOf } from './control-client.js'
import {
  MAX_LINE_BYTES,
  type AppliedChange,
  type ControlAnswer,
  type ControlRequest,
} from './control-messages.js'
import { withNameLock } from './name-lock.js'
import { runtimeFolders, socketPath } from '../../user/runtime-folder.js'
import type { Service } from '../service/service.js'

/** A service that has stopped ends within this time; its log takes up to two seconds. */
const ENDING_MS = 5000
const LOOK_MS = 20

export interface Control {
  /** Removes the socket. Whoever is still connected does not keep the process running. */
  close(): void
}

/**
 * @throws TW_ERR_SERVICE_EXISTS (as a rejection) when a service of this name runs
 * @throws TW_ERR_RUNTIME_FOLDER (as a rejection)
 */
export async function openControl(service: Service): Promise<Control> {
  const { name } = service
  const folders = runtimeFolders()
  const folder = folders[0]!
  const path = socketPath(folder, name)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serveConnection(socket, service)
  })
  server.unref() // the instances keep the service running, not who may ask for it
  try {
    await withNameLock(folder, name, async () => {
      for (const each of folders) await freeName(socketPath(each, name), name)
      await listen(server, path)
    })
  } catch (cause) {
    if (isThreadwiseError(cause)) throw cause
    const reason = (cause as Error).message // such as a file system that is read-only
    throw new ThreadwiseError('TW_ERR_RUNTIME_FOLDER', { folder, reason }, { cause })
  }
  chmodSync(path, 0o600)
  return {
    close() {
      server.close()
      for (const socket of sockets) socket.unref()
    },
  }
}

/** Removes the socket of a service that was killed, and waits for one that has stopped and still writes its log. */
async function freeName(path: string, name: string): Promise<void> {
  const end = performance.now() + ENDING_MS
  for (;;) {
    const owner = await ownerOf(path)
    if (owner === 'nobody') return rmSync(path, { force: true })
    if (owner === 'service' || performance.now() > end) {
      throw new ThreadwiseError('TW_ERR_SERVICE_EXISTS', { name })
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** One request at a time: who asks without reading the answers is not read either. */
function serveConnection(socket: Socket, service: Service): void {
  let text = ''
  let isBusy = false
  const answerAll = async () => {
    isBusy = true
    for (let end = text.indexOf('\n'); end >= 0 && !socket.destroyed; end = text.indexOf('\n')) {
      const line = text.slice(0, end)
      text = text.slice(end + 1)
      socket.pause()
      const isTaken = socket.write(`${JSON.stringify(await answer(line, service))}\n`)
      if (!isTaken) await new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve))
    }
    isBusy = false
    socket.resume()
  }
  socket.setEncoding('utf8')
  socket.on('error', () => {}) // the client has gone
  socket.on('data', (data) => {
    text += String(data)
    if (text.length > MAX_LINE_BYTES) return void socket.destroy()
    if (!isBusy) void answerAll()
  })
}

async function answer(line: string, service: Service): Promise<ControlAnswer> {
  try {
    const request = JSON.parse(line) as ControlRequest
    const changes = await perform(request, service)
    const status = request.command === 'inspect' ? await service.inspect() : service.status()
    return { ok: true, status, ...(changes && { changes }) }
  } catch (error) {
    const code = isThreadwiseError(error) ? error.code : null
    return { ok: false, code, message: (error as Error).message }
  }
}

async function perform(request: ControlRequest, service: Service): Promise<AppliedChange[] | void> {
  switch (request?.command) {
    case 'status':
    case 'inspect':
      return
    case 'reload':
      return service.reload()
    case 'scale':
      return service.scale(request.instances)
    case 'stop':
      return service.stop()
    case 'apply':
      return service.apply(request.file, request.options, request.isTrial === true)
    default: {
      const expected = 'a command: status, inspect, reload, scale, stop or apply'
      throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
        call: 'A control request',
        expected,
        received: request,
      })
    }
  }
}
