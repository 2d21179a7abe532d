// The control socket of a thread: tells of its named pools, and resizes them. Only its own user can reach it; nothing that comes in is trusted.
//
// It waits for connections and has no timers of its own. It keeps no program alive.

import type { Socket } from 'node:net'
import { rmSync } from 'node:fs'
import { ThreadwiseError } from '../../errors/errors.js'
import type { Executor } from '../executor/executor.js'
import { listenAt, type ControlSocket } from '../../user/control-socket.js'
import { answerLines, faultOf } from '../../user/line-socket.js'
import { ownAddress } from './control-address.js'
import { MAX_REQUEST, readRequest, statusOf, type PoolAnswer } from './pool-messages.js'

/** Whoever connects and asks nothing is sent away after so many milliseconds. */
const SILENCE_MS = 5000
const MAX_CONNECTIONS = 16

export interface ControlledPool extends Pick<Executor, 'stats' | 'resize'> {
  readonly name: string
}

export interface ControlServer {
  close(): void
}

/** `pools`: asked with each request. Where no socket can be made, the program is warned and goes on. */
export function openPoolControl(thread: number, pools: () => readonly ControlledPool[]): ControlServer {
  let socket: ControlSocket | undefined
  let path = ''
  const remove = () => rmSync(path, { force: true })
  try {
    path = ownAddress(thread).path
    socket = listenAt(
      path,
      (connected) => serve(connected, pools),
      (error) => {
        if (error) warn(error)
        else socket!.server.on('error', warn)
      },
    )
    socket.server.maxConnections = MAX_CONNECTIONS
    socket.server.unref()
    process.on('exit', remove)
  } catch (error) {
    warn(error)
  }
  return {
    close() {
      process.off('exit', remove)
      socket?.close()
    },
  }
}

function warn(error: unknown): void {
  const message = `There is no control socket for the pools of this program: ${(error as Error).message}`
  process.emitWarning(message, { type: 'ThreadwiseWarning', code: 'TW_WARN_CONTROL' })
}

function serve(socket: Socket, pools: () => readonly ControlledPool[]): void {
  socket.unref()
  socket.setTimeout(SILENCE_MS, () => socket.destroy())
  answerLines(socket, MAX_REQUEST, (line) => answer(line, pools()))
}

function answer(line: string, pools: readonly ControlledPool[]): PoolAnswer {
  try {
    const request = readRequest(line)
    if (!request) throw invalid('A control request', 'a command: pools or resize', line)
    if (request.command === 'pools') return { ok: true, pools: pools.map((pool) => statusOf(pool.stats())) }
    const named = pools.filter(({ name }) => name === request.pool)
    const call = `resize of ${JSON.stringify(request.pool)}`
    if (named.length !== 1)
      throw invalid(call, `the name of one pool; there are ${list(pools)}`, request.pool)
    named[0]!.resize(request.size)
    return { ok: true, pools: [statusOf(named[0]!.stats())] }
  } catch (error) {
    return faultOf(error)
  }
}

function invalid(call: string, expected: string, received: unknown): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received })
}

function list(pools: readonly ControlledPool[]): string {
  return pools.map(({ name }) => JSON.stringify(name)).join(', ') || 'none'
}
