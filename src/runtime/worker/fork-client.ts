// The worker's side of task.fork: asks the pool to run calls, and settles their promises with what it answers.
//
//   fork() fork() fork() ──one message──> pool: ordinary calls of it ──replies in batches──> the promises
//
// A task that awaits forks occupies no worker, as any that awaits. When its call is aborted, its forks are.

import { shownHostName } from '../task/callback.js'
import { contextValues } from '../task/define-context.js'
import { marked, useMarks } from '../task/move.js'
import type { AbortableContext, ForkCalls } from '../task/task-context.js'
import type { Carrier } from '../wire/codec/output.js'
import { carry, receive, type Carriage } from '../wire/codec/packet.js'
import {
  REPLY_ERROR,
  type ForkedCall,
  type ForkReply,
  type ForkCancelMessage,
  type ForksMessage,
} from '../wire/messages.js'
import { argumentProblem, notCloneable } from '../wire/not-cloneable.js'
import { carryThrown, receiveThrown } from '../wire/thrown.js'
import { soon } from '../../primitives/timers.js'
import type { Turns, Wait } from './turns.js'

interface OpenFork {
  readonly name: string
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  /** Ends the watch over the call that has forked it. */
  readonly release: () => void
  /** The task awaits it, where calls take turns. */
  wait?: Wait
}

export interface ForkPort {
  readonly carrier: Carrier
  /** Throws a DataCloneError when what goes beside the bytes of a value cannot be sent. */
  send(message: ForksMessage | ForkCancelMessage, transfer?: readonly object[]): void
}

interface NewFork {
  readonly id: number
  readonly parent: number
  readonly name: string
  readonly args: readonly unknown[]
  readonly isHost: boolean
}

interface UnsentFork {
  readonly id: number
  readonly parent: number
  readonly name: string
  readonly isHost: boolean
  readonly carriage: Carriage
}

export type { ForkClient }

/** `turns`: a call that waits for an answer lets others in. */
export function createForkClient(port: ForkPort, turns?: Turns): ForkClient {
  return new ForkClient(port, turns)
}

class ForkClient implements ForkCalls {
  readonly #port: ForkPort
  readonly #turns: Turns | undefined
  readonly #open = new Map<number, OpenFork>()
  #lastId = 0
  #unsent: UnsentFork[] = []
  #isFlushPlanned = false

  constructor(port: ForkPort, turns: Turns | undefined) {
    this.#port = port
    this.#turns = turns
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0
  }

  call(name: string, args: readonly unknown[], parent: AbortableContext): Promise<unknown> {
    return this.#call({ name, args, isHost: false }, parent)
  }

  /** A function of the caller's thread goes the same way. */
  callHost(name: string, args: readonly unknown[], parent: AbortableContext): Promise<unknown> {
    return this.#call({ name, args, isHost: true }, parent)
  }

  #call(call: Pick<NewFork, 'name' | 'args' | 'isHost'>, parent: AbortableContext): Promise<unknown> {
    const id = ++this.#lastId
    const name = call.isHost ? shownHostName(call.name) : call.name
    const run = (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => {
      if (parent.isAborted) return reject(parent.signal.reason as Error)
      const release = parent.onAbort((reason) => this.#cancel(id, reason))
      this.#open.set(id, { name, resolve, reject, release })
      this.#push({ ...call, id, parent: parent.callId })
    }
    if (!this.#turns) return new Promise(run)
    const answer = new Answer(run)
    answer.onAwaited = () => this.#beAwaited(id, parent)
    return answer
  }

  #beAwaited(id: number, { callId }: AbortableContext): void {
    const fork = this.#open.get(id)
    if (fork) fork.wait ??= this.#turns!.leave(callId, true)
  }

  /** What the pool has answered. */
  settle(replies: readonly ForkReply[]): void {
    for (const reply of replies) {
      const wait = this.#open.get(reply.id)?.wait
      if (wait) this.#turns!.answer(wait, () => this.#settle(reply))
      else this.#settle(reply)
    }
  }

  #settle({ id, kind, value }: ForkReply): void {
    const fork = this.#take(id)
    if (!fork) return
    try {
      if (kind === REPLY_ERROR) fork.reject(receiveThrown(value))
      else fork.resolve(receive(value, this.#origin(fork)))
    } catch (error) {
      fork.reject(error)
    }
  }

  flush(): void {
    this.#isFlushPlanned = false
    const calls = this.#unsent
    this.#unsent = []
    if (calls.length === 0) return
    try {
      this.#send(calls)
    } catch {
      for (const call of calls) this.#sendAlone(call) // so that only what cannot be sent fails
    }
  }

  #send(calls: readonly UnsentFork[]): void {
    const forked = calls.map(({ id, parent, name, isHost, carriage }): ForkedCall => ({
      id,
      parent,
      name,
      isHost,
      payload: carriage.carried,
    }))
    this.#port.send(
      { type: 'forks', calls: forked },
      calls.flatMap(({ carriage }) => carriage.transfer ?? []),
    )
  }

  #push({ id, parent, name, args, isHost }: NewFork): void {
    const payload = [contextValues(), ...args]
    try {
      this.#unsent.push({ id, parent, name, isHost, carriage: this.#carry(payload) })
    } catch (error) {
      const { what, reason } = argumentProblem(payload, { hasContext: true }, error)
      return this.#fail(id, reason, what)
    }
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    soon(() => this.flush())
  }

  #carry(payload: readonly unknown[]): Carriage {
    const carriage = carry(payload, { carrier: this.#port.carrier, transfer: marked() })
    useMarks(carriage.transfer)
    return carriage
  }

  #sendAlone(call: UnsentFork): void {
    try {
      this.#send([call])
    } catch (error) {
      this.#fail(call.id, error)
    }
  }

  #fail(id: number, reason: unknown, what = 'An argument'): void {
    const fork = this.#take(id)
    fork?.reject(notCloneable(what, fork.name, reason))
  }

  #cancel(id: number, reason: unknown): void {
    const fork = this.#take(id)
    if (!fork) return
    fork.reject(reason)
    this.flush() // so that the pool knows what is cancelled
    const { carried, transfer } = carryThrown(reason, this.#port.carrier)
    this.#port.send({ type: 'fork-cancel', id, reason: carried }, transfer)
  }

  #take(id: number): OpenFork | undefined {
    const fork = this.#open.get(id)
    this.#open.delete(id)
    fork?.release()
    if (fork?.wait) this.#turns!.drop(fork.wait)
    return fork
  }

  #origin({ name }: OpenFork) {
    return { what: 'The result', task: name, where: 'in the worker that has forked it' }
  }
}

/** Tells when the task awaits it: who does not goes on meanwhile. */
class Answer extends Promise<unknown> {
  onAwaited: (() => void) | undefined

  /** What comes of it is an ordinary promise. */
  static override get [Symbol.species]() {
    return Promise
  }

  override then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (onFulfilled) this.onAwaited?.()
    return super.then(onFulfilled, onRejected)
  }
}
