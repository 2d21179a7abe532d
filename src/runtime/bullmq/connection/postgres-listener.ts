// Listens to channels of PostgreSQL by a client of its own, which is made again whenever it is lost.

import { createCollector, noticeChannel } from './notices.js'
import { CLOSED, isAnswer, type StorePatience } from './patience.js'

/** What is used of a client of pg. */
export interface ListeningClient {
  connect(): Promise<void>
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (notice: { channel: string; payload?: string }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  unref(): void
  readonly connection: { readonly stream: { destroy(): void } }
}

interface Channel {
  readonly listeners: Set<(text: string) => void>
  readonly receive: (piece: string) => void
}

export class PostgresListener {
  readonly #create: () => ListeningClient
  readonly #patience: StorePatience
  readonly #onUp: () => void
  readonly #channels = new Map<string, Channel>()
  /** The one that listens now. */
  #client: ListeningClient | undefined
  /** The last one that was made. */
  #newest: ListeningClient | undefined
  #asked: Promise<unknown> = Promise.resolve()
  /** The next one that does; rejects when the server will not have any, and when it is over. */
  #next = newTurn<ListeningClient>()

  /** `onUp` is called each time that it listens again: notices were missed. */
  constructor(create: () => ListeningClient, patience: StorePatience, onUp: () => void) {
    this.#create = create
    this.#patience = patience
    this.#onUp = onUp
    void this.#keepListening()
  }

  get isUp(): boolean {
    return this.#client !== undefined
  }

  /** Resolves when it listens; the returned function ends that. */
  async subscribe(name: string, listener: (text: string) => void): Promise<() => void> {
    const channel = noticeChannel(name)
    const known = this.#channels.get(channel) ?? newChannel()
    this.#channels.set(channel, known)
    known.listeners.add(listener)
    await this.#listenOn(channel)
    return () => {
      if (!known.listeners.delete(listener) || known.listeners.size > 0) return
      if (this.#channels.get(channel) !== known) return
      this.#channels.delete(channel)
      if (this.#client) void this.#ask(this.#client, `unlisten ${channel}`).catch(() => {})
    }
  }

  /** Resolves when it has answered. */
  async ping(): Promise<void> {
    await this.#ask(await this.#next.promise, 'select 1')
  }

  /** It gives no answer, perhaps not even while it connects. */
  replace(): void {
    this.#newest?.connection.stream.destroy()
  }

  end(): void {
    this.replace()
  }

  /** One after the other: pg warns of a client that is asked while it is asked. */
  #ask(client: ListeningClient, text: string): Promise<unknown> {
    const answer = this.#asked.then(() => client.query(text))
    this.#asked = answer.catch(() => {})
    return answer
  }

  async #keepListening(): Promise<void> {
    const patience = this.#patience
    for (let attempt = 0, wasUp = false; !patience.isOver; attempt++) {
      try {
        const { client, ended } = await this.#connect()
        this.#client = client
        patience.tellUp()
        this.#next.resolve(client)
        if (wasUp) this.#onUp()
        wasUp = true
        attempt = 0
        await ended
        this.#client = undefined
        this.#next = newTurn()
      } catch (error) {
        if (isAnswer(error)) return this.#next.reject(error) // no other attempt would do better
        patience.tell(error)
      }
      await patience.pause(attempt)
    }
    this.#next.reject(new Error(CLOSED))
  }

  async #connect(): Promise<{ client: ListeningClient; ended: Promise<void> }> {
    const client = this.#create()
    this.#newest = client
    this.#asked = Promise.resolve()
    const ended = new Promise<void>((resolve) => client.on('end', resolve))
    client.on('error', () => {}) // 'end' follows
    client.on('notification', ({ channel, payload = '' }) => this.#channels.get(channel)?.receive(payload))
    try {
      await client.connect()
      client.unref() // who has no call open is not kept from ending
      for (const channel of this.#channels.keys()) await client.query(`listen ${channel}`)
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    return { client, ended }
  }

  async #listenOn(channel: string): Promise<void> {
    for (;;) {
      const client = await this.#next.promise
      try {
        await this.#ask(client, `listen ${channel}`)
        return
      } catch (error) {
        if (isAnswer(error) || this.#patience.isOver) throw error
        await this.#patience.pause(0)
      }
    }
  }
}

function newChannel(): Channel {
  const listeners = new Set<(text: string) => void>()
  const receive = createCollector((text) => {
    for (const listener of listeners) listener(text)
  })
  return { listeners, receive }
}

interface Turn<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

function newTurn<T>(): Turn<T> {
  let settle!: Omit<Turn<T>, 'promise'>
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }))
  promise.catch(() => {}) // there may be nobody who waits
  return { promise, ...settle }
}
