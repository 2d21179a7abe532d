// The connections in flight to one instance. Those that it has not taken when it dies go to another instance; with `sticky` each goes to
// the instance of its client, and while the instance is shut all go to others, or wait (entrance.ts).
//
// node:cluster waits for the instance to say that it has taken a connection. If it dies before, the primary keeps its copy of
// the socket open for ever, and the client waits for an answer that nobody will give. So this class reads the messages of the two,
// and replies in place of the dead instance that it did not take the connection, as an instance that stops does. Messages of another
// form pass unchanged.

import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { createAcceptWatch, type AcceptWatch } from './accept-watch.js'
import type { Entrance } from '../sticky/entrance.js'
import type { Receiver } from '../sticky/in-turn.js'
import type { ConnectionHandle } from '../sticky/sticky.js'

interface ClusterMessage {
  cmd?: string
  act?: string
  /** Of what is listened on. */
  key?: string
  errno?: number | null
  /** Where that is, unless it is a path: the key of one that asked for any port has the port 0. */
  sockname?: { port?: number }
  seq?: number
  ack?: number
  accepted?: boolean
}

/** A connection that was sent by us, not by node:cluster. */
interface Redirected {
  readonly key: string
  readonly connection: ConnectionHandle
  readonly refusedBy: ReadonlySet<Receiver>
}

/** Called with the key of node:cluster of what an instance listens on, and with what that is for people. */
export type OnListen = (key: string, place: string) => void

interface Surroundings {
  /** That of all instances of the service; none for one that is alone. */
  readonly entrance: Entrance | null
  /** It takes no connection before open(). */
  readonly isShut: boolean
  readonly place: number
  readonly onListen: OnListen
  /** It has taken no connection for `waitMs`, although one is in flight. */
  readonly onWait: () => void
  readonly waitMs: number
}

/** Numbers of our own messages; those of node:cluster begin at 0. */
let lastSeq = 0

export class InFlightConnections implements Receiver {
  readonly place: number
  readonly #child: ChildProcess
  readonly #entrance: Entrance | null
  #isShut: boolean
  readonly #send: (...args: unknown[]) => boolean
  readonly #unanswered = new Map<number, ConnectionHandle>()
  readonly #redirected = new Map<number, Redirected>()
  /** Of what it listens on, with what that is for people. */
  readonly #keys = new Map<string, string>()
  readonly #onListen: OnListen
  readonly #watch: AcceptWatch

  constructor({ process: child }: Worker, surroundings: Partial<Surroundings> = {}) {
    const {
      entrance = null,
      isShut = false,
      place = 0,
      onListen = () => {},
      onWait = () => {},
      waitMs = Infinity,
    } = surroundings
    this.place = place
    this.#onListen = onListen
    this.#watch = createAcceptWatch(waitMs, onWait)
    this.#child = child
    this.#entrance = entrance
    this.#isShut = entrance !== null && isShut
    // It could not be started.
    this.#send = typeof child.send === 'function' ? (child.send.bind(child) as () => boolean) : () => false
    if (typeof child.send !== 'function') return
    child.send = (...args: unknown[]) => this.#onSend(args)
    const onInternal = (message: ClusterMessage | undefined) => this.#onInternal(message)
    child.on('internalMessage', onInternal)
    let isDisconnected = false
    child.once('disconnect', () => (isDisconnected = true))
    // It has exited, and all its messages were read.
    child.once('close', () => {
      child.off('internalMessage', onInternal)
      // With a connection under way Node does not come to emit it, and node:cluster goes on to count on the dead one.
      if (!isDisconnected) child.emit('disconnect')
      this.#reassign()
    })
    entrance?.add(this)
  }

  /** How many are in flight now. */
  get count(): number {
    return this.#unanswered.size + this.#redirected.size
  }

  /** Whether it has taken no connection for so long, although one is in flight. */
  get isWaiting(): boolean {
    return this.#watch.isOver
  }

  /** Those in flight did not reach it: others get them, or this one again. */
  refuseAll(): void {
    for (const ack of [...this.#unanswered.keys(), ...this.#redirected.keys()])
      this.#child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
  }

  /** Whether node:cluster was seen to let it listen. */
  get isListening(): boolean {
    return this.#keys.size > 0
  }

  /** What the other one listens on, and this one does not. */
  missingBeside(other: InFlightConnections): string[] {
    return [...other.#keys].flatMap(([key, place]) => (this.#keys.has(key) ? [] : [place]))
  }

  listensOn(key: string): boolean {
    return !this.#isShut && this.#hasKey(key)
  }

  isShutOn(key: string): boolean {
    return this.#isShut && this.#hasKey(key)
  }

  /** From now on it takes connections. */
  open(): void {
    if (!this.#isShut) return
    this.#isShut = false
    this.#entrance!.look()
  }

  give(key: string, connection: ConnectionHandle, refusedBy: ReadonlySet<Receiver>): void {
    const seq = --lastSeq
    this.#redirected.set(seq, { key, connection, refusedBy })
    this.#watch.given()
    const readAhead = this.#entrance?.sticky?.ahead?.bytesOf(connection)
    this.#send({ cmd: 'NODE_CLUSTER', act: 'newconn', key, seq, readAhead }, connection)
  }

  /** Closes those in flight, so that no client waits: what the instance says of them cannot be read any more, it may have taken them. */
  closeAll(): void {
    for (const connection of this.#unanswered.values()) connection.close()
    for (const { connection } of this.#redirected.values()) connection.close()
    this.#unanswered.clear()
    this.#redirected.clear()
    this.#watch.taken(this.count)
  }

  #onSend(args: unknown[]): boolean {
    const [message, connection] = args as [ClusterMessage | undefined, ConnectionHandle | undefined]
    if (message?.cmd !== 'NODE_CLUSTER') return this.#send(...args)
    const { act, key, seq, ack, errno, sockname } = message
    if (ack !== undefined && key !== undefined && !errno) {
      const place = describeKey(key, sockname?.port)
      this.#keys.set(key, place)
      this.#onListen(key, place)
    }
    if (act !== 'newconn' || !connection || seq === undefined) return this.#send(...args)
    if (this.#entrance && key !== undefined && !this.#isRightFor(key, connection)) {
      this.#redirect(connection, { key, seq })
      return true
    }
    this.#unanswered.set(seq, connection)
    this.#watch.given()
    return this.#send(...args)
  }

  #hasKey(key: string): boolean {
    return this.#keys.has(key) && this.#child.connected
  }

  #isRightFor(key: string, connection: ConnectionHandle): boolean {
    const { sticky } = this.#entrance!
    if (this.#isShut) return false
    if (!sticky) return true
    if (sticky.ahead?.wants(connection)) return false
    const right = sticky.choose(key, connection)
    return right === undefined || right === this
  }

  /**
   * node:cluster has chosen this instance, which is shut, or another one may be right. It gets the reply that this one has taken the
   * connection: else it would wait for the right one, which may be busy.
   */
  #redirect(connection: ConnectionHandle, { key, seq }: { key: string; seq: number }): void {
    // Not at once: each answer makes node:cluster give the next one, from inside this call.
    process.nextTick(() => {
      const own = connection as Partial<ConnectionHandle>
      own.close = () => {} // node:cluster closes its copy of a connection that was taken
      this.#child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: true })
      delete own.close
      const passOn = () => this.#entrance!.passOn(key, connection)
      const ahead = this.#entrance!.sticky?.ahead
      if (ahead?.wants(connection)) ahead.read(connection, passOn)
      else passOn()
    })
  }

  #onInternal(message: ClusterMessage | undefined): void {
    if (message?.cmd !== 'NODE_CLUSTER') return
    const { act, ack, key, accepted } = message
    if (act === 'close' && key !== undefined) {
      this.#keys.delete(key)
      this.#entrance?.look()
    }
    if (ack === undefined) return
    this.#unanswered.delete(ack)
    const redirected = this.#redirected.get(ack)
    this.#redirected.delete(ack)
    this.#watch.taken(this.count)
    if (!redirected) return
    if (accepted) redirected.connection.close()
    else this.#passOn({ ...redirected, refusedBy: new Set([...redirected.refusedBy, this]) })
  }

  #passOn({ key, connection, refusedBy }: Redirected): void {
    this.#entrance!.passOn(key, connection, refusedBy)
  }

  #reassign(): void {
    this.#entrance?.remove(this)
    const hasOthers = Object.values(cluster.workers ?? {}).some((other) => other?.isConnected())
    for (const [ack, connection] of this.#unanswered) {
      if (hasOthers) this.#child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
      else connection.close()
    }
    for (const redirected of this.#redirected.values()) this.#passOn(redirected)
    this.#unanswered.clear()
    this.#redirected.clear()
    this.#watch.taken(this.count)
  }
}

/** For people. A key of node:cluster is address:port:addressType:fd:index; a path has the port -1. `given`: the port that the system has given. */
export function describeKey(key: string, given?: number): string {
  const [, address, asked] = /^(.*?):(-?\d+):(?:4|6|-1):/s.exec(key) ?? []
  if (asked === undefined) return key
  const port = asked === '0' && given !== undefined ? String(given) : asked
  // An abstract socket of Linux, as ss shows it; node:cluster puts the current folder before its name.
  const [, name] = /\0(.*)/s.exec(address!) ?? []
  if (name !== undefined) return `@${name}`
  return port === '-1' ? address! : address === 'null' ? `port ${port}` : `${address}, port ${port}`
}
