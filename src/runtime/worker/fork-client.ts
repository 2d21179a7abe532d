// The worker's side of task.fork: asks the pool to run calls, and settles their promises with what it answers.
//
//   fork() fork() fork() ──one message──> pool: ordinary calls of it ──replies in batches──> the promises
//
// A task that awaits forks occupies no worker, as any that awaits. When its call is aborted, its forks are.

import { contextValues } from '../task/define-context.js'
import type { AbortableContext, ForkCalls } from '../task/task-context.js'
import { encodeSpecial } from '../wire/encode-special.js'
import type { EncodedGraph } from '../wire/encoded-graph.js'
import { readGraph } from '../wire/graph-reader.js'
import {
  REPLY_ENCODED,
  REPLY_ERROR,
  type ForkedCall,
  type ForkReply,
  type ForkCancelMessage,
  type ForksMessage,
} from '../wire/messages.js'
import { notCloneable } from '../wire/not-cloneable.js'
import { decodeThrown, describeFields, encodeThrown } from '../wire/serialize-error.js'

interface OpenFork {
  readonly name: string
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  /** Ends the watch over the call that has forked it. */
  readonly release: () => void
}

type Send = (message: ForksMessage | ForkCancelMessage) => void

export type { ForkClient }

/** `send` throws a DataCloneError when a value cannot be sent. */
export function createForkClient(send: Send): ForkClient {
  return new ForkClient(send)
}

class ForkClient implements ForkCalls {
  readonly #send: Send
  readonly #open = new Map<number, OpenFork>()
  #lastId = 0
  #unsent: ForkedCall[] = []
  #isFlushPlanned = false

  constructor(send: Send) {
    this.#send = send
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0
  }

  call(name: string, args: readonly unknown[], parent: AbortableContext): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      if (parent.isAborted) return reject(parent.signal.reason as Error)
      const release = parent.onAbort((reason) => this.#cancel(id, reason))
      this.#open.set(id, { name, resolve, reject, release })
      this.#push({ id, name, args })
    })
  }

  /** What the pool has answered. */
  settle(replies: readonly ForkReply[]): void {
    for (const { id, kind, value } of replies) {
      const fork = this.#take(id)
      if (!fork) continue
      try {
        if (kind === REPLY_ERROR) fork.reject(decodeThrown(value as EncodedGraph))
        else fork.resolve(kind === REPLY_ENCODED ? readGraph(value as EncodedGraph, this.#origin(fork)) : value) // prettier-ignore
      } catch (error) {
        fork.reject(error)
      }
    }
  }

  flush(): void {
    this.#isFlushPlanned = false
    const calls = this.#unsent
    this.#unsent = []
    if (calls.length === 0) return
    try {
      this.#send({ type: 'forks', calls })
    } catch {
      for (const call of calls) this.#sendAlone(call) // so that only what cannot be sent fails
    }
  }

  #push({ id, name, args }: { id: number; name: string; args: readonly unknown[] }): void {
    try {
      const payload = [contextValues(), args] as const
      const graph = encodeSpecial(payload)
      this.#unsent.push({ id, name, payload: graph ?? payload, isEncoded: graph !== undefined })
    } catch (error) {
      return this.#fail(id, error)
    }
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    queueMicrotask(() => this.flush())
  }

  #sendAlone(call: ForkedCall): void {
    try {
      this.#send({ type: 'forks', calls: [call] })
    } catch (error) {
      this.#fail(call.id, error)
    }
  }

  #fail(id: number, error: unknown): void {
    const fork = this.#take(id)
    fork?.reject(notCloneable('An argument', fork.name, error))
  }

  #cancel(id: number, reason: unknown): void {
    const fork = this.#take(id)
    if (!fork) return
    fork.reject(reason)
    this.flush() // so that the pool knows what is cancelled
    const encoded = encodeThrown(reason)
    try {
      this.#send({ type: 'fork-cancel', id, reason: encoded })
    } catch {
      this.#send({ type: 'fork-cancel', id, reason: describeFields(encoded) })
    }
  }

  #take(id: number): OpenFork | undefined {
    const fork = this.#open.get(id)
    this.#open.delete(id)
    fork?.release()
    return fork
  }

  #origin({ name }: OpenFork) {
    return { what: 'The result', task: name, where: 'in the worker that has forked it' }
  }
}
