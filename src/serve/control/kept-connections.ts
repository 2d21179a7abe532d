// Connections to services that stay open from one question to the next: for who asks again and again. A new connection costs a service more than
// its answer, since it looks after its socket each time.

import { LineConnection } from '../../user/line-socket.js'
import { ANSWERS, type Ask } from './control-client.js'
import type { ControlAnswer } from './control-messages.js'

export class KeptConnections {
  readonly #open = new Map<string, LineConnection<ControlAnswer>>()

  /** As `askOnce()`. One question at a time for each path. */
  readonly ask: Ask = (path, request, limitMs) => this.#connectionTo(path).ask(request, limitMs)

  #connectionTo(path: string): LineConnection<ControlAnswer> {
    const found = this.#open.get(path)
    if (found?.isFree) return found
    found?.close()
    const connection = new LineConnection(path, ANSWERS)
    this.#open.set(path, connection)
    void connection.closed.then(() => {
      if (this.#open.get(path) === connection) this.#open.delete(path)
    })
    return connection
  }

  close(): void {
    for (const connection of this.#open.values()) connection.close()
  }
}
