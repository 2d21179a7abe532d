// Connections to services that stay open from one question to the next: for who asks again and again. A new connection costs a service more than
// its answer, since it looks after its socket each time.

import type { Socket } from 'node:net'
import { connectTo } from '../../user/control-socket.js'
import { answerOf, ended, odd, silence, type Ask } from './control-client.js'
import { MAX_ANSWER } from './control-messages.js'
import type { ControlAnswer } from './control-messages.js'

interface Asking {
  readonly resolve: (answer: ControlAnswer) => void
  readonly reject: (error: Error) => void
}

export class KeptConnections {
  readonly #open = new Map<string, Connection>()

  /** As `askOnce()`. One question at a time for each path. */
  readonly ask: Ask = (path, request, limitMs) => {
    const found = this.#open.get(path)
    const connection = found?.isFree
      ? found
      : new Connection(path, () => {
          if (this.#open.get(path) === connection) this.#open.delete(path)
        })
    if (found && found !== connection) found.close()
    this.#open.set(path, connection)
    return connection.ask(`${JSON.stringify(request)}\n`, limitMs)
  }

  close(): void {
    for (const connection of this.#open.values()) connection.close()
  }
}

class Connection {
  readonly #socket: Socket
  readonly #ready: Promise<Socket>
  #asking: Asking | undefined
  #text = ''

  constructor(path: string, onClose: () => void) {
    let isReady: (socket: Socket) => void
    this.#ready = new Promise((resolve) => (isReady = resolve))
    this.#socket = connectTo(path, (connected) => {
      connected.setEncoding('utf8').on('data', (data) => this.#take(String(data)))
      isReady(connected)
    })
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      const isCut = ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') // its process has ended
      this.#settle(isCut ? ended() : error)
    })
    this.#socket.on('close', () => {
      this.#settle(ended())
      onClose()
    })
  }

  get isFree(): boolean {
    return this.#asking === undefined && !this.#socket.destroyed
  }

  ask(line: string, limitMs: number | undefined): Promise<ControlAnswer> {
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => this.#socket.destroy(silence(`No answer within ${limitMs} ms.`)), limitMs)
    const answered = new Promise<ControlAnswer>((resolve, reject) => (this.#asking = { resolve, reject }))
    void this.#ready.then((socket) => socket.write(line))
    return answered.finally(() => clearTimeout(timer))
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(data: string): void {
    this.#text += data
    if (this.#text.length > MAX_ANSWER) return void this.#socket.destroy(odd('Its answer has no end.'))
    if (!this.#text.endsWith('\n')) return
    const answer = answerOf(this.#text)
    this.#text = ''
    if (answer) this.#settle(answer)
    else this.#socket.destroy(odd('It does not answer as a service of this version does.'))
  }

  #settle(outcome: ControlAnswer | Error): void {
    const asking = this.#asking
    this.#asking = undefined
    if ('ok' in outcome) asking?.resolve(outcome)
    else asking?.reject(outcome)
  }
}
