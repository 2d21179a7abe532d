// Finds the running services of this user and tells them what to do.

import { readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { reviveThreadwiseError, ThreadwiseError, type ErrorCode } from '../errors.js'
import type { ControlAnswer, ControlRequest } from './control-messages.js'
import type { ServiceStatus } from './events.js'
import { runtimeFolder, socketPath } from './runtime-folder.js'

const ENDING = '.sock'

/**
 * All services of this user that answer, by name; with `inspect` their load too. Sockets of services that were killed are removed.
 *
 * @throws TW_ERR_RUNTIME_FOLDER (as a rejection)
 */
export async function listServices(command: 'status' | 'inspect' = 'status'): Promise<ServiceStatus[]> {
  const folder = runtimeFolder()
  const names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      try {
        const answer = await ask(path, { command })
        return answer.ok ? answer.status : null
      } catch (error) {
        if (isStale(error)) rmSync(path, { force: true })
        return null
      }
    }),
  )
  return found.filter((status) => status !== null).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Asks a service to do something; resolves with its state when that is done.
 *
 * @throws TW_ERR_SERVICE_NOT_FOUND (as a rejection), and what the service throws
 */
export async function askService(name: string, request: ControlRequest): Promise<ServiceStatus> {
  const path = socketPath(runtimeFolder(), name)
  let answer: ControlAnswer
  try {
    answer = await ask(path, request)
  } catch (error) {
    if (!isStale(error)) throw error
    const running = (await listServices()).map((service) => service.name)
    throw new ThreadwiseError('TW_ERR_SERVICE_NOT_FOUND', { name, running })
  }
  if (answer.ok) return answer.status
  if (answer.code === null) throw new Error(answer.message)
  throw Object.assign(reviveThreadwiseError(answer.message), { code: answer.code as ErrorCode })
}

export async function isAlive(path: string): Promise<boolean> {
  try {
    await ask(path, { command: 'status' })
    return true
  } catch (error) {
    return !isStale(error)
  }
}

/** Nobody listens there. Anything else may be a service in trouble, whose socket must stay. */
function isStale(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' || code === 'ENOENT'
}

function ask(path: string, request: ControlRequest): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${JSON.stringify(request)}\n`))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (data) => {
      text += String(data)
      if (!text.endsWith('\n')) return
      socket.destroy()
      resolve(JSON.parse(text) as ControlAnswer)
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The service ended before it answered.')))
  })
}
