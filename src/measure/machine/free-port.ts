// A port that is free now.

import { createServer, type AddressInfo } from 'node:net'

/** Not 0: some apps take that for none. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
