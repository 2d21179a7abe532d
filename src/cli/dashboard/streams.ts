// Streams of server-sent events, of which there may be so many. One that is not read is ended: a browser opens it again.

import type { ServerResponse } from 'node:http'

const MOST = 32
const MOST_UNREAD_BYTES = 4 * 1024 ** 2

export interface EventStream {
  /** `id`: the browser says it when it comes again. */
  send(type: string, data: unknown, id?: number): void
}

export class Streams {
  readonly #open = new Set<ServerResponse>()

  /** Undefined: there are too many. `closed`: called once. */
  open(response: ServerResponse, closed: () => void): EventStream | undefined {
    if (this.#open.size >= MOST) return undefined
    this.#open.add(response)
    response.once('close', () => {
      this.#open.delete(response)
      closed()
    })
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders()
    return {
      send(type, data, id) {
        if (response.destroyed) return
        const head = id === undefined ? '' : `id: ${id}\n`
        response.write(`${head}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
        if (response.writableLength > MOST_UNREAD_BYTES) response.destroy()
      },
    }
  }

  closeAll(): void {
    for (const response of this.#open) response.destroy()
  }
}
