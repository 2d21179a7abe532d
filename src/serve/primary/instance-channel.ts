// The channel to one instance: messages that are awaited by their kind, and requests with their reply.

import type { Worker } from 'node:cluster'
import { isFromInstance } from '../contract/check-message.js'
import { ownMessage, packed, type FromInstance, type ToInstance } from '../contract/instance-messages.js'

/** `ready` is the message of the user's code, `listening` the event of node:cluster. */
type Message = FromInstance | { threadwise: 'ready' | 'listening' }
type Kind = Message['threadwise']
type MessageOf<K extends Kind> = Extract<Message, { threadwise: K }>

export class InstanceChannel {
  readonly #worker: Worker
  /** Who await the next message of a kind. */
  readonly #awaited = new Map<Kind, Set<(message: Message) => void>>()
  /** Messages that came before anybody awaited them: the last one of each kind. */
  readonly #early = new Map<Kind, Message>()
  /** Each ends a request that has no reply yet. */
  readonly #pending = new Set<() => void>()
  #isClosed = false

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (message: unknown) => {
      if (message === 'ready') this.#receive({ threadwise: 'ready' })
    })
    worker.process.on('internalMessage', (message: unknown) => {
      const own = ownMessage(message)
      if (own && isFromInstance(own)) this.#receive(own)
      else if (own) throw new Error('a message of threadwise that it does not send') // ends it: channel-guard.ts
    })
    worker.on('listening', () => this.#receive({ threadwise: 'listening' }))
  }

  /** The instance is gone. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  send(message: ToInstance): void {
    // A failed write means that the instance ends, and its exit follows.
    if (this.#worker.isConnected()) this.#worker.process.send(packed(message), () => {})
  }

  /** The next message of this kind, or one that came before anybody awaited it. Stays pending when the instance ends. */
  next<K extends Kind>(kind: K): Promise<MessageOf<K>> {
    return new Promise((resolve) => this.#await(kind, resolve))
  }

  /** Resolves with the reply; with undefined when the instance ends, or when there is no reply within the limit. */
  async request<K extends Kind>(
    message: ToInstance,
    reply: K,
    limitMs: number,
  ): Promise<MessageOf<K> | undefined> {
    if (this.#isClosed) return undefined
    this.#early.delete(reply) // the reply to an earlier request, after its limit
    // Not a race with a promise of the end: each race would stay in memory until then.
    let settle!: (received?: MessageOf<K>) => void
    const received = new Promise<MessageOf<K> | undefined>((resolve) => (settle = resolve))
    const giveUp = () => settle()
    this.#pending.add(giveUp)
    const leave = this.#await(reply, settle)
    // A reply that arrived while this process was busy is read between the two.
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), limitMs)
    this.send(message)
    const result = await received
    clearTimeout(timer)
    leave()
    this.#pending.delete(giveUp)
    return result
  }

  close(): void {
    this.#isClosed = true
    for (const giveUp of this.#pending) giveUp()
  }

  /** Gives what ends the waiting. */
  #await<K extends Kind>(kind: K, resolve: (message: MessageOf<K>) => void): () => void {
    const early = this.#early.get(kind)
    this.#early.delete(kind)
    if (early) {
      resolve(early as MessageOf<K>)
      return () => {}
    }
    const others = this.#awaited.get(kind) ?? new Set()
    this.#awaited.set(kind, others.add(resolve as (message: Message) => void))
    return () => void others.delete(resolve as (message: Message) => void)
  }

  #receive(message: Message): void {
    const kind = message.threadwise
    const all = this.#awaited.get(kind)
    this.#awaited.delete(kind)
    if (all?.size) all.forEach((resolve) => resolve(message))
    else this.#early.set(kind, message)
  }
}
