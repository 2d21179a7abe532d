// Runs inside an instance before the user's code: watches its servers, and does what the primary requests.

import cluster from 'node:cluster'
import { isMainThread } from 'node:worker_threads'
import { enterStarted } from '../../primitives/task-modules.js'
import { askServers } from './ask-servers.js'
import { watchClosedServers } from './closed-servers.js'
import { createDrain } from './drain.js'
import { createEnding } from './end-after-drain.js'
import { createGate, type Gate } from './gate.js'
import {
  ownMessage,
  packed,
  SETTINGS_VARIABLE,
  type FromInstance,
  type InstanceSettings,
  type InstanceUsage,
  type ToInstance,
} from '../contract/instance-messages.js'
import { takeOwnRequests } from './own-requests.js'
import { createHeartbeat } from './heartbeat.js'
import { createLoadMeter, watchRequests } from './load-meter.js'
import { replayBytes } from '../sticky/replay-bytes.js'
import { watchServers, type Servers } from './watch-servers.js'

const text = process.env[SETTINGS_VARIABLE]
// Threads and children of the instance inherit its arguments, and are no instances.
if (text !== undefined && cluster.isWorker && isMainThread) {
  const settings = JSON.parse(text) as InstanceSettings
  if (settings.isCollected) keepOutput()
  run(settings)
}

function run(settings: InstanceSettings): void {
  delete process.env[SETTINGS_VARIABLE]
  enterStarted()
  const servers = watchServers()
  if (settings.readsAhead) replayBytes(servers)
  const gate = settings.isGated ? createGate(() => post({ threadwise: 'listens' })) : undefined
  if (gate === null) {
    const reason = `Node ${process.version} cannot hold back a server that listens, as reusePort needs`
    return post({ threadwise: 'unable', reason })
  }
  const endOwn = settings.isShut ? takeOwnRequests(servers) : () => {}
  const answers = { ...answerHealth(servers, gate, endOwn), ...answerEnd(settings, servers) }
  process.on('internalMessage' as 'message', (received: unknown) => {
    const message = ownMessage(received) as ToInstance | undefined
    if (message) void (answers[message.threadwise] as (message: ToInstance) => unknown)(message)
  })
}

type Answers<Kind extends ToInstance['threadwise']> = {
  readonly [K in Kind]: (message: Extract<ToInstance, { threadwise: K }>) => unknown
}

function answerHealth(
  servers: Servers,
  gate: Gate | undefined,
  endOwn: () => void,
): Answers<'check' | 'open'> {
  return {
    async check({ path }) {
      await servers.opened()
      post({ threadwise: 'checked', ...(await askServers(servers.http(), path)) })
    },
    async open() {
      endOwn()
      if (gate) post({ threadwise: 'opened', problem: await gate.open() })
    },
  }
}

function answerEnd(
  settings: InstanceSettings,
  servers: Servers,
): Answers<'load' | 'usage' | 'ping' | 'leave' | 'drain' | 'end'> {
  const drain = createDrain(servers, settings.graceMs)
  const ending = createEnding(drain, settings)
  const { meter, beat } = measure(settings, servers)
  const closed = watchClosedServers(servers, (found) =>
    post({ threadwise: 'limitReached', limit: 'listening', found }),
  )
  return {
    load: () => post({ threadwise: 'load', load: meter.read() }),
    usage: () => post({ threadwise: 'usage', usage: { ...measureUsage(), open: meter.open() } }),
    ping() {
      beat?.beat()
      post({ threadwise: 'pong' })
    },
    leave() {
      beat?.stop()
      closed.stop()
      drain.leave()
      post({ threadwise: 'left' })
    },
    async drain() {
      ending.begin()
      await drain.run()
      post({ threadwise: 'drained' })
    },
    end: () => ending.allow(),
  }
}

function measureUsage(): Omit<InstanceUsage, 'open'> {
  const { active, idle } = performance.eventLoopUtilization()
  const { user, system } = process.cpuUsage()
  return { activeMs: active, idleMs: idle, cpuMs: (user + system) / 1000 }
}

function measure(settings: InstanceSettings, servers: Servers) {
  const meter = createLoadMeter(settings, (limit, found) =>
    post({ threadwise: 'limitReached', limit, found }),
  )
  watchRequests(servers, meter)
  const { hangTimeoutMs } = settings
  return { meter, beat: hangTimeoutMs === null ? null : createHeartbeat(hangTimeoutMs) }
}

function post(message: FromInstance): void {
  // When the primary is gone, 'disconnect' follows; without a callback the error would be thrown.
  if (process.connected) process.send!(packed(message), undefined, undefined, () => {})
}

/** Blocking writes are in the pipe when the process ends. An error, as when the primary was killed, loses lines, not requests. */
function keepOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const { _handle } = stream as unknown as { _handle?: { setBlocking?(isBlocking: boolean): void } }
    _handle?.setBlocking?.(true)
    stream.on('error', () => {})
  }
}
