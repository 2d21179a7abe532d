// What all executors can do that run their tasks on this machine.

import type { Capabilities } from './executor.js'

type Shared = 'streams' | 'keys' | 'broadcast' | 'remote' | 'durable'

/** Those in which executors on this machine differ. */
export type OwnCapabilities = Omit<Capabilities, Shared>

export const ON_THIS_MACHINE: Pick<Capabilities, Shared> = {
  streams: true,
  keys: true,
  broadcast: true,
  remote: false,
  durable: false,
}
