// A network between two programs on one machine: a TCP proxy that holds what it passes on for a while.
//
// On loopback a store answers at once, and nobody would have to wait: the experiment would be about something else.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface DelayProxy {
  readonly endpoint: string
  close(): void
}

const HOST = '127.0.0.1'

/** A round trip through it takes `roundTripMs` longer than without it, and never less. */
export async function startDelayProxy(endpoint: string, roundTripMs: number): Promise<DelayProxy> {
  const { hostname, port } = new URL(endpoint)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.setNoDelay(true)
      passOn(from, to, roundTripMs / 2)
      from.once('close', () => open.delete(from))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  return {
    endpoint: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** Timers of one length end in the order in which they were started, so the bytes keep theirs. */
function passOn(from: Socket, to: Socket, ms: number): void {
  from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), ms))
  from.on('end', () => setTimeout(() => to.end(), ms))
  from.on('error', () => setTimeout(() => to.destroy(), ms)) // whoever is killed has sent what arrived before
}
