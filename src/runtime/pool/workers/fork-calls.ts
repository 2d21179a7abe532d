// The pool's side of task.fork: runs what the tasks of one worker have forked, and answers that worker.
//
// Why it cannot deadlock, at any depth: a forked call needs nothing but a thread that is free for a moment. It passes
// maxQueue, tasksPerWorker and all calls that wait; and tasks that await their forks occupy no thread.

import type { Transferable } from '../../executor/executor.js'
import { NO_OPTIONS } from '../../executor/shared-options.js'
import type { Carrier } from '../../wire/codec/output.js'
import { carry, movableIn, onlyMovable, receive, type Carriage } from '../../wire/codec/packet.js'
import {
  REPLY_ERROR,
  REPLY_RESULT,
  type ForkCancelMessage,
  type ForkedCall,
  type ForkReply,
  type ForksMessage,
} from '../../wire/messages.js'
import { notSendable } from '../../wire/not-cloneable.js'
import { carryThrown, receiveThrown } from '../../wire/thrown.js'
import type { Enter } from '../../task/async-scope.js'
import { runInContexts, type ContextValues } from '../../task/define-context.js'
import { contextsOfCallback, shownHostName } from '../../task/callback.js'
import { callHost, type HostFunctions } from '../../task/host.js'
import type { Submit } from '../../executor/submit.js'
import { planOnce } from '../../executor/plan-once.js'
import { soon } from '../../../primitives/timers.js'
import type { Call } from '../calls/call.js'
import type { Channel } from './worker.js'

/** The worker whose tasks fork, as far as it matters here. */
export interface ForkingWorker {
  readonly channel: Channel
  readonly state: string
  /** Calls that it holds. */
  readonly running: ReadonlyMap<number, Call>
}

export interface ForkSettings {
  readonly submit: Submit
  /** What tasks may call in this thread. */
  readonly host: HostFunctions | undefined
  /** Runs such a function. */
  readonly forTask: (run: () => unknown) => unknown
  /** Of calls that the worker has answered. */
  readonly contexts: AnsweredContexts
}

interface WrittenReply {
  readonly id: number
  readonly kind: number
  readonly name: string
  readonly carriage: Carriage
}

export class WorkerForks {
  readonly #worker: ForkingWorker
  readonly #settings: ForkSettings
  readonly #open = new Map<number, AbortController>()
  #replies: WrittenReply[] = []
  readonly #flushLater = planOnce(soon, () => this.#flush())

  constructor(worker: ForkingWorker, settings: ForkSettings) {
    this.#worker = worker
    this.#settings = settings
  }

  get #carrier(): Carrier {
    return this.#worker.channel.carrier
  }

  onMessage(message: ForksMessage | ForkCancelMessage): void {
    if (message.type === 'forks') for (const call of message.calls) void this.#run(call)
    else this.#open.get(message.id)?.abort(receiveThrown(message.reason))
  }

  /** The worker is gone: nobody waits for them. */
  end(): void {
    const reason = new DOMException(
      'The worker of the task that has forked this call has ended.',
      'AbortError',
    )
    for (const controller of this.#open.values()) controller.abort(reason)
    this.#open.clear()
  }

  async #run({ id, parent, name: own, isHost, payload }: ForkedCall): Promise<void> {
    const name = isHost === true ? shownHostName(own) : own
    const controller = new AbortController()
    this.#open.set(id, controller)
    const carrier = this.#carrier
    const { submit, host, forTask } = this.#settings
    let reply: Omit<WrittenReply, 'id' | 'name'>
    try {
      const origin = { what: 'An argument', task: name, where: "in the caller's thread" }
      const [values, ...args] = receive(payload, origin) as [ContextValues | undefined, ...unknown[]]
      const transfer = carrier.objects ? movableIn(payload) : undefined
      const options = { ...NO_OPTIONS, signal: controller.signal, transfer }
      const { signal } = controller
      const run = async () =>
        isHost === true
          ? forTask(() => callHost(host, { name: own, args, signal }))
          : submit(own, args, options)
      const runWithValues = () => runInContexts(values ?? [], run)
      const ofCallback = isHost === true ? contextsOfCallback(own) : undefined
      const inContexts = ofCallback ?? this.#contextsOf(parent)
      const value = await (inContexts ? inContexts(runWithValues) : runWithValues())
      reply = { kind: REPLY_RESULT, carriage: carryResult(value, name, carrier) }
    } catch (error) {
      reply = { kind: REPLY_ERROR, carriage: carryThrown(error, carrier, onlyMovable) }
    }
    if (!this.#open.delete(id) || controller.signal.aborted) return
    this.#replies.push({ ...reply, id, name })
    this.#flushLater()
  }

  /** Into the contexts of whoever has made the call that forks; undefined: nobody looks at them. */
  #contextsOf(parent: number): Enter | undefined {
    return this.#worker.running.get(parent)?.timing?.inContexts ?? this.#settings.contexts.of(parent)
  }

  #flush(): void {
    const replies = this.#replies
    this.#replies = []
    try {
      this.#send(replies)
    } catch {
      for (const reply of replies) this.#sendOne(reply) // so that only what cannot be sent fails
    }
  }

  /** Throws a DataCloneError, and sends nothing, when what goes beside the bytes of a value cannot be sent. */
  #send(written: readonly WrittenReply[]): void {
    if (this.#worker.state !== 'up') return
    const replies = written.map(({ id, kind, carriage }): ForkReply => ({
      id,
      kind,
      value: carriage.carried,
    }))
    const transfer = written.flatMap(({ carriage }) => carriage.transfer ?? [])
    this.#worker.channel.send({ type: 'fork-replies', replies }, transfer as Transferable[])
  }

  #sendOne(reply: WrittenReply): void {
    try {
      this.#send([reply])
    } catch (error) {
      const { id, name } = reply
      const problem = notSendable('The result', name, { root: 'result', error })
      this.#send([{ id, name, kind: REPLY_ERROR, carriage: carryThrown(problem, this.#carrier) }])
    }
  }
}

function carryResult(value: unknown, name: string, carrier: Carrier): Carriage {
  try {
    return carry(value, { carrier, transfer: onlyMovable })
  } catch (error) {
    throw notSendable('The result', name, { root: 'result', error })
  }
}

// Into the contexts of the callers of calls that a worker has answered: what their tasks ask of the program may come after the answer, since
// replies in shared memory pass messages, or since a task does not wait for it.

/** As many calls are remembered; those that are not get no contexts. */
const MAX_CONTEXTS = 1024

export class AnsweredContexts {
  readonly #byId = new Map<number, Enter>()

  keep({ id, timing }: Call): void {
    if (timing?.inContexts === undefined) return
    this.#byId.delete(id)
    this.#byId.set(id, timing.inContexts)
    if (this.#byId.size > MAX_CONTEXTS) this.#byId.delete(this.#byId.keys().next().value!)
  }

  of(id: number): Enter | undefined {
    return this.#byId.get(id)
  }
}
