// Loaded before the user's file where one process is measured: tells the parent where its first server listens, and which threads of the
// system are workers.

import { readdirSync, stat } from 'node:fs'
import { Server } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { enterStarted } from '../../primitives/task-modules.js'

// Threads of the server inherit its options, but their servers are none of our business.
if (isMainThread && process.send) run()

function run(): void {
  enterStarted()
  const prototype = Server.prototype as { listen: (...args: unknown[]) => Server }
  const { listen } = prototype
  prototype.listen = function (this: Server, ...args: unknown[]) {
    prototype.listen = listen // the first server is the one that is measured
    this.once('listening', () => {
      const place = this.address()
      const where =
        typeof place === 'object' && place
          ? { address: place.address, port: place.port }
          : { address: null, port: -1 }
      process.send!({ threadwise: 'listens', ...where })
    })
    return listen.apply(this, args)
  }
  tellWorkers()
  process.on('disconnect', () => process.exit(1)) // nobody measures any more
  process.channel?.unref() // a program that does not listen ends as it would by itself
}

/** The threads that were not there before a worker was made. Those of libuv start with its first work, so that is given here. */
function tellWorkers(): void {
  if (process.platform !== 'linux') return
  stat('/', () => {})
  const known = new Set(threadIds())
  process.on('worker', () => {
    const tids = threadIds().filter((tid) => !known.has(tid))
    for (const tid of tids) known.add(tid)
    if (tids.length > 0 && process.connected) process.send!({ threadwise: 'workers', tids }, () => {})
  })
}

function threadIds(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return [] // no /proc: nobody knows
  }
}
