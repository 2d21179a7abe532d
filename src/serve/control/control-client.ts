// Finds the running services of this user, and sends them commands.

import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { reviveThreadwiseError, ThreadwiseError, type ErrorCode } from '../../errors/errors.js'
import type { ServiceStatus } from '../contract/events.js'
import type { ControlAnswer, ControlRequest } from './control-messages.js'
import { runtimeFolders, socketPath } from '../../user/runtime-folder.js'

const ENDING = '.sock'
/** A service that takes longer to give its status is suspended, or its event loop is blocked. */
const ANSWER_MS = 3000
const SILENT = 'SILENT'
const ENDED = 'ENDED'

export interface FoundServices {
  services: ServiceStatus[]
  /** Names of those that run and did not answer within 3 seconds. */
  silent: string[]
}

/**
 * All services of this user, by name; with `inspect` their load too. Changes nothing: a socket that nobody listens on may be that of
 * a service that is just starting.
 *
 * @throws TW_ERR_RUNTIME_FOLDER (as a rejection)
 */
export async function listServices(command: 'status' | 'inspect' = 'status'): Promise<FoundServices> {
  const paths = runtimeFolders().flatMap((folder) => {
    const names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
    return names.map((name) => join(folder, name))
  })
  const silent: string[] = []
  const found = await Promise.all(
    paths.map(async (path) => {
      try {
        const answer = await ask(path, { command }, ANSWER_MS)
        return answer.ok && answer.status.state !== 'stopped' ? answer.status : null
      } catch (error) {
        if (isSilent(error)) silent.push(basename(path, ENDING))
        return null
      }
    }),
  )
  const services = found.filter((status) => status !== null)
  return { services: services.sort((a, b) => (a.name < b.name ? -1 : 1)), silent: silent.sort() }
}

/**
 * Asks a service to do something; resolves with its state when that is done: a stop, when its process has ended.
 *
 * @throws TW_ERR_SERVICE_NOT_FOUND (as a rejection), TW_ERR_SERVICE_SILENT, and what the service throws
 */
export async function askService(name: string, request: ControlRequest): Promise<ServiceStatus> {
  return (await askForAnswer(name, request)).status
}

/** The same, with all that it answers. */
export async function askForAnswer(
  name: string,
  request: ControlRequest,
): Promise<ControlAnswer & { ok: true }> {
  let answer: ControlAnswer | undefined
  try {
    answer = await askAny(name, request)
  } catch (error) {
    if (isSilent(error)) throw new ThreadwiseError('TW_ERR_SERVICE_SILENT', { name })
    throw error
  }
  if (answer === undefined) {
    const { services, silent } = await listServices()
    const running = [...services.map((service) => service.name), ...silent]
    throw new ThreadwiseError('TW_ERR_SERVICE_NOT_FOUND', { name, running })
  }
  if (answer.ok) return answer
  if (answer.code === null) throw new Error(answer.message)
  throw Object.assign(reviveThreadwiseError(answer.message), { code: answer.code as ErrorCode })
}

/** Undefined when there is none of this name. */
async function askAny(name: string, request: ControlRequest): Promise<ControlAnswer | undefined> {
  for (const folder of runtimeFolders()) {
    const path = socketPath(folder, name)
    try {
      await ask(path, { command: 'status' }, ANSWER_MS) // the command may take long, a status does not
      return await ask(path, request)
    } catch (error) {
      if (!isStale(error)) throw error
    }
  }
  return undefined
}

/** Who has a socket: nobody, a service, or one that has stopped and is about to give it up. */
export async function ownerOf(path: string): Promise<'nobody' | 'service' | 'ending'> {
  try {
    const answer = await ask(path, { command: 'status' }, ANSWER_MS)
    return answer.ok && ['stopped', 'failed'].includes(answer.status.state) ? 'ending' : 'service'
  } catch (error) {
    if (isStale(error)) return 'nobody'
    return isEnded(error) ? 'ending' : 'service'
  }
}

/** Nobody listens there. Anything else may be a service in trouble, whose socket must stay. */
function isStale(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' || code === 'ENOENT'
}

function isSilent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === SILENT
}

/** It was there, and ended before it answered: it was killed. */
export function isEnded(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === ENDED
}

/** Characters. A thousand instances take about half of it. */
const MAX_ANSWER = 4_000_000

/** Undefined when something else listens there. */
function parseAnswer(text: string): ControlAnswer | undefined {
  try {
    const answer = JSON.parse(text) as Partial<ControlAnswer> | null
    return typeof answer?.ok === 'boolean' ? (answer as ControlAnswer) : undefined
  } catch {
    return undefined
  }
}

/** Resolves with the answer; that to a stop comes long before all is written, so the connection lasts as long as its process. */
function ask(path: string, request: ControlRequest, limitMs?: number): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${JSON.stringify(request)}\n`))
    let text = ''
    let answer: ControlAnswer | undefined
    socket.setEncoding('utf8')
    if (limitMs !== undefined)
      socket.setTimeout(limitMs, () => {
        reject(Object.assign(new Error(`No answer within ${limitMs} ms.`), { code: SILENT }))
        socket.destroy()
      })
    socket.on('data', (data) => {
      text += String(data)
      if (text.length > MAX_ANSWER) return void socket.destroy(new Error('Its answer has no end.'))
      if (!text.endsWith('\n')) return
      answer ??= parseAnswer(text)
      if (!answer) reject(new Error('It does not answer as a service does.'))
      if (!answer?.ok || request.command !== 'stop') socket.destroy()
    })
    socket.on('error', (error) => answer ?? reject(error))
    socket.on('close', () => {
      if (answer) resolve(answer)
      else reject(Object.assign(new Error('The service ended before it answered.'), { code: ENDED }))
    })
  })
}
