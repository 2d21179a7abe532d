// The pool's side of task.fork: runs what the tasks of one worker have forked, and answers that worker.
//
// Why it cannot deadlock, at any depth: a forked call needs nothing but a thread that is free for a moment. It passes
// maxQueue, tasksPerWorker and all calls that wait; and tasks that await their forks occupy no thread.

import { planOnce, soon } from '../../executor/turns.js'
import { encodeSpecial } from '../../wire/encode-special.js'
import type { EncodedGraph } from '../../wire/encoded-graph.js'
import { readGraph } from '../../wire/graph-reader.js'
import {
  REPLY_ENCODED,
  REPLY_ERROR,
  REPLY_RESULT,
  type ForkCancelMessage,
  type ForkedCall,
  type ForkReply,
  type ForkRepliesMessage,
  type ForksMessage,
} from '../../wire/messages.js'
import { notCloneable } from '../../wire/not-cloneable.js'
import { decodeThrown, encodeThrown } from '../../wire/serialize-error.js'
import { runInContexts, type ContextValues } from '../../task/define-context.js'
import type { SubmitFork } from '../../engine/call-pool.js'

/** Throws a DataCloneError, and sends nothing, when a value cannot be cloned. */
type Tell = (message: ForkRepliesMessage) => void

export class WorkerForks {
  readonly #submit: SubmitFork
  readonly #tell: Tell
  readonly #open = new Map<number, AbortController>()
  #replies: (ForkReply & { readonly name: string })[] = []
  readonly #flushLater = planOnce(soon, () => this.#flush())

  constructor(submit: SubmitFork, tell: Tell) {
    this.#submit = submit
    this.#tell = tell
  }

  onMessage(message: ForksMessage | ForkCancelMessage): void {
    if (message.type === 'forks') for (const call of message.calls) void this.#run(call)
    else this.#open.get(message.id)?.abort(decodeThrown(message.reason))
  }

  /** The worker is gone: nobody waits for them. */
  end(): void {
    const reason = new DOMException('The worker of the task that has forked this call has ended.', 'AbortError') // prettier-ignore
    for (const controller of this.#open.values()) controller.abort(reason)
    this.#open.clear()
  }

  async #run({ id, name, payload, isEncoded }: ForkedCall): Promise<void> {
    const controller = new AbortController()
    this.#open.set(id, controller)
    let reply: ForkReply
    try {
      const origin = { what: 'An argument', task: name, where: "in the caller's thread" }
      const parts = isEncoded ? readGraph(payload as EncodedGraph, origin) : payload
      const [values = [], args] = parts as [ContextValues | undefined, unknown[]]
      const { signal } = controller
      const value = await runInContexts(values, () => this.#submit(name, args, { signal }))
      const graph = encodeSpecial(value)
      reply = graph ? { id, kind: REPLY_ENCODED, value: graph } : { id, kind: REPLY_RESULT, value }
    } catch (error) {
      reply = { id, kind: REPLY_ERROR, value: encodeThrown(error) }
    }
    if (!this.#open.delete(id) || controller.signal.aborted) return
    this.#replies.push({ ...reply, name })
    this.#flushLater()
  }

  #flush(): void {
    const replies = this.#replies
    this.#replies = []
    try {
      this.#tell({ type: 'fork-replies', replies })
    } catch {
      for (const reply of replies) this.#tellOne(reply) // so that only what cannot be sent fails
    }
  }

  #tellOne(reply: ForkReply & { readonly name: string }): void {
    try {
      this.#tell({ type: 'fork-replies', replies: [reply] })
    } catch (error) {
      const value = encodeThrown(notCloneable('The result', reply.name, error))
      this.#tell({ type: 'fork-replies', replies: [{ id: reply.id, kind: REPLY_ERROR, value }] })
    }
  }
}
