// Finds the running services of this user, and sends them commands.
//
// Each has a socket, and a record of its process. A socket can get lost; a service that is there, by its record, makes it again when it is woken.

import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ThreadwiseError } from '../../errors/errors.js'
import type { ServiceStatus } from '../contract/events.js'
import { isServiceStatus } from '../contract/check-status.js'
import {
  MAX_ANSWER,
  WAKE_SIGNAL,
  type ControlAnswer,
  type ControlRequest,
  type StartedProcess,
} from './control-messages.js'
import { isRunning, isSuspended } from './process-start.js'
import { nextProcesses, recordsOfLiving, type RunRecord } from './run-record.js'
import {
  errorOf,
  isEnded,
  isNobody,
  isOdd,
  isSilent,
  LineConnection,
  silence,
  type LineAnswers,
} from '../../user/line-socket.js'
import { runtimeFolders, socketPath } from '../../user/runtime-folder.js'

const ENDING = '.sock'
/** A service that takes longer to give its status is suspended, or its event loop is blocked. */
const ANSWER_MS = 3000
const LOOK_MS = 20

export interface FoundServices {
  services: ServiceStatus[]
  /** Names of those that run and did not answer within 3 seconds, or have no socket any more. */
  silent: string[]
  /** Names of sockets whose owner answers in a form that this version does not know. */
  odd: string[]
}

/**
 * All services of this user, by name; with `inspect` their load too. Changes nothing: a socket that nobody listens on may be that of
 * a service that is just starting.
 *
 * @throws TW_ERR_RUNTIME_FOLDER (as a rejection)
 */
export async function listServices(
  command: 'status' | 'inspect' = 'status',
  ask: Ask = askOnce,
): Promise<FoundServices> {
  const question: Question = { command, ask }
  const records = visibleRecords()
  const sockets = new Set([...socketsInFolders(), ...records.map(({ socket }) => socket)])
  const found = (await Promise.all([...sockets].map((path) => lookAt(path, question)))).flat()
  const isFound = ({ name }: RunRecord) => found.some((other) => other.name === name)
  const lost = records.filter((record) => !isFound(record))
  found.push(...(await Promise.all(lost.map((record) => lookFor(record, question)))).flat())
  const services = new Map(found.flatMap(({ name, status }) => (status ? [[name, status] as const] : [])))
  const namesOf = (kind: Found['kind']) => {
    const names = found.filter((one) => one.kind === kind && !services.has(one.name)).map(({ name }) => name)
    return [...new Set(names)].sort()
  }
  return {
    services: [...services.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    silent: namesOf('silent'),
    odd: namesOf('odd'),
  }
}

interface Question {
  readonly command: 'status' | 'inspect'
  readonly ask: Ask
}

/** Resolves with the answer of what listens at a path. */
export type Ask = (path: string, request: ControlRequest, limitMs?: number) => Promise<ControlAnswer>

interface Found {
  readonly name: string
  readonly kind: 'service' | 'silent' | 'odd'
  readonly status?: ServiceStatus
}

function socketsInFolders(): string[] {
  return runtimeFolders().flatMap((folder) => {
    const names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
    return names.map((name) => join(folder, name))
  })
}

/** None when nobody is there, and for a service that has stopped. */
async function lookAt(path: string, { command, ask }: Question): Promise<Found[]> {
  const name = basename(path, ENDING)
  try {
    const answer = await ask(path, { command }, ANSWER_MS)
    if (!answer.ok || answer.status.name !== name) return [{ name, kind: 'odd' }]
    return answer.status.state === 'stopped' ? [] : [{ name, kind: 'service', status: answer.status }]
  } catch (error) {
    if (isOdd(error)) return [{ name, kind: 'odd' }]
    return isSilent(error) ? [{ name, kind: 'silent' }] : []
  }
}

/** One whose socket is lost makes it again when it is woken. */
async function lookFor(record: RunRecord, question: Question): Promise<Found[]> {
  const path = await wake(record)
  if (path !== undefined) return lookAt(path, question)
  return isRecorded(record) ? [{ name: record.name, kind: 'silent' }] : []
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
    answer = await askAnyOrNext(name, request)
  } catch (error) {
    if (isSilent(error)) throw new ThreadwiseError('TW_ERR_SERVICE_SILENT', { name })
    if (isEnded(error) && !['status', 'stop'].includes(request.command))
      throw new ThreadwiseError('TW_ERR_SERVICE_STOPPED', { name })
    throw error
  }
  if (answer === undefined) {
    const { services, silent } = await listServices()
    const running = [...services.map((service) => service.name), ...silent]
    throw new ThreadwiseError('TW_ERR_SERVICE_NOT_FOUND', { name, running })
  }
  if (answer.ok) return answer
  if (answer.successor && (await untilItAnswers(name, answer.successor))) return askForAnswer(name, request)
  throw errorOf(answer)
}

/** The process that is to take the place of this service, while a restart is under way. */
export function nextProcess(name: string): StartedProcess | undefined {
  return nextProcesses().find((record) => record.name === name)
}

/** A restart was under way. False when the process that was to take the place has ended. */
async function untilItAnswers(name: string, { pid, start }: StartedProcess): Promise<boolean> {
  while (isRunning(pid, start)) {
    const record = livingRecord(name)
    if (record?.pid === pid && (await socketOwner(record.socket)) !== 'nobody') return true
    await delay(LOOK_MS)
  }
  return false
}

/** The same as askAny(): while a restart is under way nobody is there for a moment, and then the one that comes is asked. */
async function askAnyOrNext(name: string, request: ControlRequest): Promise<ControlAnswer | undefined> {
  for (;;) {
    const answer = await askAny(name, request)
    if (answer !== undefined) return answer
    const next = nextProcess(name)
    if (!next || !(await untilItAnswers(name, next))) return askAny(name, request) // it may have come between the two looks
  }
}

/** Undefined when there is none of this name. */
async function askAny(name: string, request: ControlRequest): Promise<ControlAnswer | undefined> {
  const record = livingRecord(name)
  const folders = runtimeFolders().map((folder) => socketPath(folder, name))
  for (const path of new Set([...(record ? [record.socket] : []), ...folders])) {
    try {
      return await askAt(path, request)
    } catch (error) {
      if (!isNobody(error)) throw error
    }
  }
  const woken = record && (await wake(record))
  if (woken !== undefined) return askAt(woken, request)
  if (record && isRecorded(record)) throw silence(`${name} has no socket any more, and makes none.`)
  return undefined
}

async function askAt(path: string, request: ControlRequest): Promise<ControlAnswer> {
  await askOnce(path, { command: 'status' }, ANSWER_MS) // the command may take long, a status does not
  return askOnce(path, request)
}

function visibleRecords(): RunRecord[] {
  const folders = runtimeFolders()
  return recordsOfLiving().filter(({ isBackground, folder }) => isBackground || folders.includes(folder))
}

/** Of a service of this name that runs, whether it can be reached or not. */
export function livingRecord(name: string): RunRecord | undefined {
  return visibleRecords().find((record) => record.name === name)
}

/** One that ends removes its record when it has closed its socket. */
function isRecorded({ pid }: RunRecord): boolean {
  return recordsOfLiving().some((other) => other.pid === pid)
}

/** Lets a service that is there look whether it still has its socket. Gives where that is; undefined when there is none. */
async function wake(record: RunRecord): Promise<string | undefined> {
  if (WAKE_SIGNAL === undefined || isSuspended(record.pid)) return undefined // the signal would let it go on
  try {
    process.kill(record.pid, WAKE_SIGNAL)
  } catch {
    return undefined
  }
  const end = performance.now() + ANSWER_MS
  while (performance.now() < end) {
    const now = recordsOfLiving().find(({ pid }) => pid === record.pid)
    if (now === undefined) return undefined
    if ((await socketOwner(now.socket)) !== 'nobody') return now.socket
    await delay(LOOK_MS)
  }
  return undefined
}

/** Who has a socket: nobody, a service, or one that has stopped and is about to give it up. */
export async function socketOwner(path: string): Promise<'nobody' | 'service' | 'ending'> {
  try {
    const answer = await askOnce(path, { command: 'status' }, ANSWER_MS)
    return answer.ok && ['stopped', 'failed'].includes(answer.status.state) ? 'ending' : 'service'
  } catch (error) {
    if (isNobody(error)) return 'nobody'
    return isEnded(error) ? 'ending' : 'service'
  }
}

export const ANSWERS: LineAnswers<ControlAnswer> = { read: answerOf, most: MAX_ANSWER }

function answerOf(text: string): ControlAnswer | undefined {
  try {
    const answer = JSON.parse(text) as Partial<ControlAnswer & { ok: true }> &
      Partial<ControlAnswer & { ok: false }>
    const isFault = answer?.ok === false && typeof answer.message === 'string'
    return isFault || (answer?.ok === true && isServiceStatus(answer.status))
      ? (answer as ControlAnswer)
      : undefined
  } catch {
    return undefined
  }
}

/** Resolves with the answer; that to a stop comes long before all is written, so the connection lasts as long as its process. */
async function askOnce(path: string, request: ControlRequest, limitMs?: number): Promise<ControlAnswer> {
  const connection = new LineConnection(path, ANSWERS)
  try {
    const answer = await connection.ask(request, limitMs)
    if (answer.ok && request.command === 'stop') await connection.closed
    return answer
  } finally {
    connection.close()
  }
}
