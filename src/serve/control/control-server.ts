// The control socket of a running service: only its own user can reach it.

import { realpathSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { livingRecord, socketOwner } from './control-client.js'
import {
  MAX_LINE_BYTES,
  type AppliedChange,
  type ApplyRequest,
  type ControlAnswer,
  type ControlRequest,
  type RestartRequest,
  type StartedProcess,
} from './control-messages.js'
import { keepSocket, type KeptSocket } from './kept-socket.js'
import { withNameLock } from './name-lock.js'
import { forgetDead } from './run-record.js'
import { answerLines, faultOf } from '../../user/line-socket.js'
import { stateFolder } from '../../user/state-folder.js'
import { runtimeFolders, socketPath } from '../../user/runtime-folder.js'
import type { AppPlan } from '../apps/app-plan.js'
import type { Service } from '../service/service.js'

/** A service that has stopped ends within this time; its log takes up to two seconds. */
const ENDING_MS = 5000
const LOOK_MS = 20

/** What commands ask of a service. */
export interface Controlled extends Pick<Service, 'name' | 'status' | 'inspect' | 'scale' | 'stop'> {
  reload(env: Readonly<Record<string, string>> | undefined): Promise<void>
  readonly plan: AppPlan
  apply(request: ApplyRequest): Promise<AppliedChange[]>
  restart(request: RestartRequest): Promise<StartedProcess>
  /** That is to take its place, while it is on its way. */
  readonly successor: StartedProcess | undefined
  /** Makes what it leaves for commands again, if it was removed. */
  remember(): void
}

export interface Control {
  /** Removes the socket. Whoever is still connected does not keep the process running. */
  close(): void
}

/**
 * `isBackground`: it is known to all shells of the user, wherever they look for sockets.
 *
 * @throws TW_ERR_SERVICE_EXISTS (as a rejection) when a service of this name runs
 * @throws TW_ERR_RUNTIME_FOLDER (as a rejection)
 */
export async function openControl(service: Controlled, isBackground: boolean): Promise<Control> {
  const { name } = service
  const folders = runtimeFolders()
  const folder = folders[0]!
  const sockets = new Set<Socket>()
  const serveOne = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    answerLines(socket, MAX_LINE_BYTES, (line) => answer(line, service))
    // Whoever asks shows that it is wanted, and has perhaps found one of the two.
    service.remember()
    void kept?.look()
  }
  let kept: KeptSocket | undefined
  try {
    await withNameLocks([...stateFolderIfAny(), folder], name, async () => {
      if (livingRecord(name)) throw new ThreadwiseError('TW_ERR_SERVICE_EXISTS', { name })
      for (const each of folders) await freeName(socketPath(each, name), name)
      forgetDead(name)
      kept = await keepSocket(serveOne, { name, folder, isBackground })
    })
  } catch (cause) {
    if (isThreadwiseError(cause)) throw cause
    const reason = (cause as Error).message // such as a file system that is read-only
    throw new ThreadwiseError('TW_ERR_RUNTIME_FOLDER', { folder, reason }, { cause })
  }
  return {
    close() {
      kept!.close()
      for (const socket of sockets) socket.unref()
    },
  }
}

function stateFolderIfAny(): string[] {
  try {
    return [stateFolder()]
  } catch {
    return [] // a service can do without
  }
}

/**
 * That of the state comes first: shells that look for sockets in different folders share it. A service does without it where it cannot be made, as on
 * a full disk.
 */
async function withNameLocks<T>(
  folders: readonly string[],
  name: string,
  action: () => Promise<T>,
): Promise<T> {
  const [first, ...others] = folders
  if (first === undefined) return action()
  const rest = others.filter((each) => realPath(each) !== realPath(first)) // it would wait for itself
  let isHeld = false
  const within = () => {
    isHeld = true
    return withNameLocks(rest, name, action)
  }
  try {
    return await withNameLock(first, name, within)
  } catch (error) {
    if (isHeld || rest.length === 0) throw error
    return withNameLocks(rest, name, action)
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder // the lock tells what is wrong with it
  }
}

/** Removes the socket of a service that was killed, and waits for one that has stopped and still writes its log. */
async function freeName(path: string, name: string): Promise<void> {
  const end = performance.now() + ENDING_MS
  for (;;) {
    const owner = await socketOwner(path)
    if (owner === 'nobody') return rmSync(path, { force: true })
    if (owner === 'service' || performance.now() > end) {
      throw new ThreadwiseError('TW_ERR_SERVICE_EXISTS', { name })
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

async function answer(line: string, service: Controlled): Promise<ControlAnswer> {
  try {
    const request = JSON.parse(line) as ControlRequest
    const more = await perform(request, service)
    const status = request.command === 'inspect' ? await service.inspect() : service.status()
    return { ok: true, status, ...more }
  } catch (error) {
    return { ...faultOf(error), successor: service.successor }
  }
}

type More = Partial<Omit<ControlAnswer & { ok: true }, 'ok' | 'status'>>

async function perform(request: ControlRequest, service: Controlled): Promise<More> {
  switch (request?.command) {
    case 'status':
    case 'inspect':
      return {}
    case 'plan':
      return { plan: service.plan }
    case 'reload':
      await service.reload(request.env)
      return {}
    case 'scale':
      await service.scale(request.instances)
      return {}
    case 'stop':
      await service.stop()
      return {}
    case 'apply':
      return { changes: await service.apply(request) }
    case 'restart':
      return { successor: await service.restart(request) }
    default: {
      const expected = 'a command: status, inspect, plan, reload, scale, stop, apply or restart'
      throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
        call: 'A control request',
        expected,
        received: request,
      })
    }
  }
}
