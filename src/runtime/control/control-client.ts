// Finds the programs of this user whose pools can be controlled, and asks them.

import { rmSync } from 'node:fs'
import { ThreadwiseError } from '../../errors/errors.js'
import { isAlive } from '../../primitives/is-alive.js'
import { askLine, errorOf, isNobody, isSilent } from '../../user/line-socket.js'
import type { Size } from '../executor/executor.js'
import { allAddresses, type ControlAddress } from './control-address.js'
import {
  MAX_ANSWER,
  readAnswer,
  type PoolAnswer,
  type PoolRequest,
  type PoolStatus,
} from './pool-messages.js'

/** A program that takes longer is suspended, or its event loop is blocked. */
const ANSWER_MS = 3000
const ANSWERS = { read: readAnswer, most: MAX_ANSWER, limitMs: ANSWER_MS }

export interface FoundPool extends PoolStatus {
  readonly pid: number
  /** The worker thread of that process which has made it; 0: its main thread. */
  readonly thread: number
}

export interface FoundPools {
  readonly pools: readonly FoundPool[]
  /** Processes that run and did not answer within 3 seconds. */
  readonly silent: readonly number[]
}

/** @throws TW_ERR_RUNTIME_FOLDER (as a rejection) */
export async function listPools(): Promise<FoundPools> {
  const pools: FoundPool[] = []
  const silent = new Set<number>()
  await Promise.all(
    allAddresses().map(async (address) => {
      const answer = await askOrForget(address, { command: 'pools' })
      const { pid, thread } = address
      if (answer === 'silent') silent.add(pid)
      else if (answer?.ok) for (const pool of answer.pools) pools.push({ pid, thread, ...pool })
    }),
  )
  const inOrder = (a: FoundPool, b: FoundPool) =>
    a.pid - b.pid || a.thread - b.thread || (a.name < b.name ? -1 : 1)
  return { pools: pools.sort(inOrder), silent: [...silent].sort((a, b) => a - b) }
}

/**
 * Changes the number of workers of a pool; resolves with what the pool is then.
 *
 * @throws TW_ERR_INVALID_CALL (as a rejection) where that process has no such pool, or several, or does not answer; TW_ERR_INVALID_OPTION for the size
 */
export async function resizePool(pid: number, name: string, size: Size): Promise<FoundPool> {
  const found = await listPools()
  const ofProcess = found.pools.filter((pool) => pool.pid === pid)
  const named = ofProcess.filter((pool) => pool.name === name)
  const names = ofProcess.map((pool) => JSON.stringify(pool.name)).join(', ')
  const call = `resize of ${JSON.stringify(name)}`
  const isSilent = found.silent.includes(pid)
  const expected = isSilent
    ? 'a program that answers'
    : `the name of one pool of process ${pid} (it has ${names || 'none that can be controlled'})`
  if (named.length !== 1)
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received: isSilent ? pid : name })
  const { thread } = named[0]!
  const address = allAddresses().find((other) => other.pid === pid && other.thread === thread)
  const answer = address && (await askOrForget(address, { command: 'resize', pool: name, size }))
  if (answer === undefined || answer === 'silent')
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
      call,
      expected: 'a program that answers',
      received: pid,
    })
  if (answer.ok) return { pid, thread, ...answer.pools[0]! }
  throw errorOf(answer)
}

/** Undefined: nobody listens there, or something else. What a program has left behind that was killed is removed. */
async function askOrForget(
  address: ControlAddress,
  request: PoolRequest,
): Promise<PoolAnswer | 'silent' | undefined> {
  try {
    return await askLine(address.path, request, ANSWERS)
  } catch (error) {
    if (isSilent(error)) return 'silent'
    // One that has just begun to listen is alive.
    if (isNobody(error) && !isAlive(address.pid)) rmSync(address.path, { force: true })
    return undefined
  }
}
