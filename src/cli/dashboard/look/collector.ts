// Looks at all services, pools and queues of this user, at each tick and for all pages together; at each third tick the instances are asked for their
// load. While nobody watches, it looks at nothing.
//
//   idle ──watch()──> looking ──TICK_MS──> looking ... ──last one leaves──> idle        history and events of the last hour stay

import { limitsOfProcess } from '../../../cpu/process-limits.js'
import { listPools, type FoundPools } from '../../../runtime/control/control-client.js'
import type { ServiceStatus } from '../../../serve/contract/events.js'
import { KeptConnections } from '../../../serve/control/kept-connections.js'
import { listServices, type FoundServices } from '../../../serve/control/control-client.js'
import { knownApps, logOf } from '../../background/background-record.js'
import type { RememberedApp } from '../../../serve/apps/remembered.js'
import { absentServices } from './absent.js'
import { endedServices, FullQueues } from './changes.js'
import { EventList } from './event-list.js'
import { STEP_MS } from './history.js'
import { TrackedService } from './tracked-service.js'
import type { AbsentRow, PoolRow, QueueRow } from './view.js'

const TICK_MS = 2000

/** Services that are remembered: the one that was seen longest ago goes first. */
const MOST_TRACKED = 200

export interface Seen {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly statuses: readonly ServiceStatus[]
  readonly tracked: readonly TrackedService[]
  readonly absent: readonly AbsentRow[]
  readonly pools: readonly PoolRow[]
  readonly queues: readonly QueueRow[]
}

/** What is looked at. Tests give others. */
export interface Sources {
  services: (command: 'status' | 'inspect') => Promise<FoundServices>
  pools: () => Promise<FoundPools>
  apps: () => readonly RememberedApp[]
  /** Gives what is known soon: a store may be slow to answer. */
  queues: () => readonly QueueRow[] | Promise<readonly QueueRow[]>
}

interface Circumstances {
  readonly at: number
  readonly apps: readonly RememberedApp[]
  readonly isAsked: boolean
}

export class Collector {
  readonly events = new EventList()
  readonly #sources: Sources
  readonly #connections = new KeptConnections()
  readonly #watchers = new Set<(seen: Seen) => void>()
  readonly #tracked = new Map<string, TrackedService>()
  readonly #fullQueues = new FullQueues()
  #running: readonly string[] = []
  #looking: Promise<Seen> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #askedAt = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(sources: Partial<Sources> = {}) {
    this.#sources = {
      services: (command) => listServices(command, this.#connections.ask),
      pools: listPools,
      apps: knownApps,
      queues: () => [],
      ...sources,
    }
  }

  /** Calls with each look, the first of which begins now. Gives what ends that. */
  watch(onSeen: (seen: Seen) => void): () => void {
    const watcher = (seen: Seen) => onSeen(seen) // the same function may watch twice
    this.#watchers.add(watcher)
    if (this.#watchers.size === 1) void this.#next()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      clearTimeout(this.#timer)
      this.#connections.close()
    }
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0
  }

  find(name: string): TrackedService | undefined {
    return this.#tracked.get(name)
  }

  /** With the load of all instances. Those who ask while such a look is under way share it. */
  look(): Promise<Seen> {
    this.#looking ??= this.#inTurn(true).finally(() => {
      this.#looking = undefined
      if (!this.isWatched) this.#connections.close()
    })
    return this.#looking
  }

  /** One look at a time: a connection takes one question at a time. */
  #inTurn(isAsked: boolean): Promise<Seen> {
    const seen = this.#turn.then(() => this.#lookNow(isAsked))
    this.#turn = seen.catch(() => {})
    return seen
  }

  async #next(): Promise<void> {
    clearTimeout(this.#timer)
    const began = performance.now()
    const isDue = began - this.#askedAt > STEP_MS - TICK_MS / 2
    const isNew = this.#running.some((name) => this.#tracked.get(name)?.hasUnmeasured)
    try {
      const seen = await (isDue || isNew ? this.look() : this.#inTurn(false))
      for (const watcher of this.#watchers) watcher(seen)
    } catch {
      // The folder of sockets cannot be read now: the next look may find it again. A page sees that its figures are old.
    }
    clearTimeout(this.#timer)
    if (this.isWatched)
      this.#timer = setTimeout(() => void this.#next(), Math.max(100, TICK_MS - (performance.now() - began)))
    else this.#connections.close()
  }

  async #lookNow(isAsked: boolean): Promise<Seen> {
    if (isAsked) this.#askedAt = performance.now()
    const [found, { pools }, queues] = await Promise.all([
      this.#sources.services(isAsked ? 'inspect' : 'status'),
      this.#sources.pools(),
      this.#sources.queues(),
    ])
    const at = Date.now()
    const apps = this.#sources.apps()
    const tracked = found.services.map((status) => this.#track(status, { at, apps, isAsked }))
    const absent = absentServices(found, apps)
    const rows = pools.map((pool) => ({
      ...pool,
      refused: pool.refused ?? null,
      tasks: pool.tasks ?? [],
      budget: limitsOfProcess(pool.pid).cpus,
    }))
    this.events.add([
      ...tracked.flatMap((service) => service.takeEvents()),
      ...this.#fullQueues.changes(rows, at),
      ...endedServices(this.#running, found.services, absent, at),
    ])
    this.#running = found.services.map(({ name }) => name)
    return { at, statuses: found.services, tracked, absent, pools: rows, queues }
  }

  #track(status: ServiceStatus, { at, apps, isAsked }: Circumstances): TrackedService {
    const service = this.#tracked.get(status.name) ?? new TrackedService(status.name)
    this.#tracked.delete(status.name)
    this.#tracked.set(status.name, service) // the newest last
    const [oldest] = this.#tracked
    if (oldest && this.#tracked.size > MOST_TRACKED) {
      oldest[1].close()
      this.#tracked.delete(oldest[0])
    }
    const app = apps.find(({ plan, end }) => plan.name === status.name && end === null)
    const log = app ? logOf(app.plan) : undefined // in the foreground it writes none
    service.see({ at: performance.now(), status, limits: limitsOfProcess(status.pid) }, { at, log, isAsked })
    return service
  }
}
