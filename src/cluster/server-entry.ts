// Runs inside an instance, before the user's code: holds back and releases its servers, and ends it without lost requests.

import cluster from 'node:cluster'
import { isMainThread } from 'node:worker_threads'
import { askHealth } from './ask-health.js'
import { createDrain } from './drain.js'
import { createEnding } from './ending.js'
import { createGate } from './gate.js'
import {
  ownMessage,
  SETTINGS_VARIABLE,
  type FromInstance,
  type InstanceSettings,
} from './instance-messages.js'
import type { ToInstance } from './instance-messages.js'
import { createHeartbeat } from './heartbeat.js'
import { createLoadMeter } from './load-meter.js'
import { watchRequests } from './watch-requests.js'
import { watchServers, type Servers } from './watch-servers.js'

const text = process.env[SETTINGS_VARIABLE]
// Threads and children of the instance inherit its arguments, but they are none of our business.
if (text !== undefined && cluster.isWorker && isMainThread) {
  const settings = JSON.parse(text) as InstanceSettings
  if (settings.isCollected) keepOutput()
  run(settings)
}

function run(settings: InstanceSettings): void {
  const { isGated, graceMs } = settings
  delete process.env[SETTINGS_VARIABLE]
  hideFromChildren()
  const servers = watchServers()
  const gate = isGated ? createGate(() => post({ threadwise: 'listens' })) : undefined
  const drain = createDrain(servers, graceMs)
  const ending = createEnding(drain, graceMs)
  const { meter, beat } = measure(settings, servers)

  process.on('message', (received) => {
    const message = ownMessage<ToInstance>(received)
    if (message?.threadwise === 'check') void check(message.path)
    else if (message?.threadwise === 'open') void open()
    else if (message?.threadwise === 'load') post({ threadwise: 'load', load: meter.read() })
    else if (message?.threadwise === 'ping') {
      beat?.beat()
      post({ threadwise: 'pong' })
    } else if (message?.threadwise === 'leave') {
      beat?.stop()
      drain.leave()
      post({ threadwise: 'out' })
    } else if (message?.threadwise === 'drain') {
      void drain.run().then(() => {
        post({ threadwise: 'drained' })
        ending.allow()
      })
    } else if (message?.threadwise === 'end') ending.allow()
  })

  async function check(path: string): Promise<void> {
    const server = servers.find()
    const { isHealthy, answer } = server
      ? await askHealth(server, path)
      : { isHealthy: false, answer: 'it has no HTTP server' }
    post({ threadwise: 'checked', isHealthy, answer })
  }

  async function open(): Promise<void> {
    const problem = (await gate?.open()) ?? null
    post({ threadwise: 'opened', problem })
  }
}

function measure(settings: InstanceSettings, servers: Servers) {
  const meter = createLoadMeter(settings, (limit, found) => post({ threadwise: 'enough', limit, found }))
  watchRequests(servers, meter)
  const { hangTimeoutMs } = settings
  return { meter, beat: hangTimeoutMs === null ? null : createHeartbeat(hangTimeoutMs) }
}

function post(message: FromInstance): void {
  // Where the primary is gone, 'disconnect' tells; without a callback it would be thrown.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

/** What was written before the end is in the pipe by then, and a primary that was killed costs lines, not requests. */
function keepOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const { _handle } = stream as unknown as { _handle?: { setBlocking?(isBlocking: boolean): void } }
    _handle?.setBlocking?.(true)
    stream.on('error', () => {})
  }
}

/** process.execArgv is what fork() and new Worker() hand on. */
function hideFromChildren(): void {
  const at = process.execArgv.findIndex((word) => word === import.meta.url)
  if (at > 0) process.execArgv.splice(at - 1, 2)
}
