// Whether the store takes writes, and answers where a worker listens: asked every few seconds, as it can fall silent without a word. What gives no
// answer is replaced by a new connection, which may reach another server by now.

import { inTime } from '../core/lifecycle.js'
import { machineNow } from '../wire/machine-clock.js'
import type { StoreConnection, Marks } from './connection/connection.js'

/** Milliseconds from one write to the next, for its answer, and for which one counts. */
const WRITE_MS = 3000
const ANSWER_MS = 5000
const PROOF_MS = 3 * WRITE_MS

export interface SignOfLife {
  readonly now: { readonly isConnected: boolean; readonly latencyMs: number | null }
  /** Resolves after the first write, or when it has failed. */
  start(): Promise<void>
  stop(): void
}

export function createSignOfLife(
  { connection, marks }: { readonly connection: StoreConnection; readonly marks: Marks },
  onRefusal: (error: unknown) => void,
): SignOfLife {
  let provenAt = -Infinity
  let latencyMs: number | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const write = async () => {
    const since = machineNow()
    await marks.write()
    latencyMs = machineNow() - since
    await connection.ping()
    provenAt = machineNow()
  }
  const round = async () => {
    const isAnswered = await inTime(write(), ANSWER_MS).catch((error: unknown) => {
      if (!isOver) onRefusal(error)
      return true
    })
    if (isOver) return
    if (!isAnswered) connection.replace()
    timer = setTimeout(() => void round(), WRITE_MS)
    timer.unref() // the worker keeps its program alive by itself
  }
  return {
    get now() {
      return { isConnected: machineNow() - provenAt < PROOF_MS, latencyMs }
    },
    start: round,
    stop() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
