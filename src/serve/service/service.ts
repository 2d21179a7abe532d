// Keeps the wanted number of instances serving: starts, replaces, reloads, scales and stops them.

import { ThreadwiseError } from '../../errors/errors.js'
import type { InstanceLoad, ServeEvent, ServiceState, ServiceStatus } from '../contract/events.js'
import { reusePortWarnings } from '../contract/reuse-port.js'
import { Changes } from './serial-queue.js'
import { endTogether, instanceFailed, replaceAll } from './instance-set.js'
import { createGuard, type Guard } from './guard.js'
import { Instance, type Worn } from './instance.js'
import { checkInstances, type ResolvedServe } from '../contract/options.js'
import { countServing, loadsOf, scalingStatus, serviceStatus, servingFirst } from './service-status.js'
import { RestartLimit } from './restart-limit.js'
import { startScaling, type Scaling } from './scaling.js'
import { createSticky, freePlace, type Sticky } from '../sticky/sticky.js'
import { Timers } from './timers.js'

/** After a new one did not become ready. */
const RENEW_AGAIN_MS = 15_000

/** A server that runs in several instances; made by {@link serve}. */
export class Service implements AsyncDisposable {
  readonly name: string
  readonly file: string
  /** Resolves when it was stopped; rejects with TW_ERR_SERVICE_FAILED when it gave up. */
  readonly ended: Promise<void>
  readonly #settings: ResolvedServe
  readonly #limit = new RestartLimit()
  readonly #startedAt = Date.now()
  /** Those that count: serving, or on the way to it as a replacement. A reload's new one only when it serves. */
  readonly #crew = new Set<Instance>()
  readonly #all = new Set<Instance>()
  readonly #timers = new Timers()
  readonly #guard: Guard
  readonly #sticky: Sticky | null
  #scaling: Scaling | null = null
  #wanted: number
  #state: ServiceState = 'starting'
  readonly #counts = { reloads: 0, crashes: 0, renewals: 0 }
  #lastProblem: string | null = null
  readonly #changes = new Changes(() => this.#assertOpen())
  #nextReload: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #end!: { resolve: () => void; reject: (error: unknown) => void }

  /** @internal */
  constructor(settings: ResolvedServe) {
    this.#settings = settings
    this.name = settings.name
    this.file = settings.file
    this.#wanted = settings.instances
    this.#guard = createGuard(settings.graceMs)
    this.#sticky = settings.stickyBy ? createSticky(settings.stickyBy.cookie) : null
    this.ended = new Promise((resolve, reject) => (this.#end = { resolve, reject }))
    this.ended.catch(() => {}) // nobody has to listen
  }

  /** @internal Resolves when all instances serve; if one cannot, none is left running. */
  start(): Promise<void> {
    return this.#changes.run(() => this.#start()) // as the first of them: what is asked for meanwhile comes after
  }

  async #start(): Promise<void> {
    const first = Array.from({ length: this.#wanted }, () => this.#launch())
    try {
      await Promise.all(first.map((instance) => this.#readyOf(instance, 'Nothing was started.')))
      this.#assertOpen()
    } catch (error) {
      if (this.#stopped) throw error
      for (const instance of this.#all) instance.kill()
      await (this.#stopped = this.#stop('failed', error))
      throw error
    }
    this.#state = 'serving'
    for (const instance of first) this.#join(instance)
    for (const text of this.#settings.reusePort ? reusePortWarnings() : [])
      this.#tell({ type: 'warning', text })
    const [scale, tell, timers] = [this.scale.bind(this), this.#tell.bind(this), this.#timers]
    const scaled = { wanted: () => this.#wanted, scale, tell, crew: this.#crew, timers }
    this.#scaling = startScaling(scaled, this.#settings.scaling)
  }

  /**
   * Replaces all instances, one after the other: the new one first has to serve, then the old one ends after its requests.
   * Calls while a reload waits for its turn share it.
   *
   * @throws TW_ERR_INSTANCE_FAILED (as a rejection) when a new instance does not become ready: those that are left go on serving.
   * @throws TW_ERR_SERVICE_STOPPED (as a rejection)
   * @example await service.reload()
   */
  reload(): Promise<void> {
    this.#nextReload ??= this.#changes.run(async () => {
      this.#nextReload = undefined
      await replaceAll([...this.#crew], this.#replace.bind(this), this.#fail.bind(this))
      await this.#complete()
      this.#counts.reloads++
      this.#limit.reset()
      this.#tell({ type: 'reloaded', instances: this.#crew.size })
    })
    return this.#nextReload
  }

  /**
   * Changes the number of instances; resolves when it is reached.
   *
   * @throws TW_ERR_INVALID_OPTION (as a rejection) unless it is a whole number from 1 to 1024
   * @throws TW_ERR_INSTANCE_FAILED (as a rejection) when a new instance does not become ready: the number is then what it has reached.
   * @throws TW_ERR_SERVICE_STOPPED (as a rejection)
   * @example await service.scale(4)
   */
  async scale(instances: number): Promise<void> {
    checkInstances(instances, this.#settings.scaling)
    return this.#changes.run(async () => {
      while (this.#wanted < instances) {
        const instance = this.#launch()
        await this.#readyOf(instance, `There are ${this.#wanted} instances.`)
        this.#assertOpen()
        this.#wanted++
        this.#join(instance)
      }
      this.#wanted = instances
      const extra = servingFirst(this.#crew).slice(instances)
      await Promise.all(extra.map((instance) => this.#retire(instance)))
    })
  }

  /**
   * Takes no more connections, lets requests end, and ends all instances. Never rejects.
   *
   * @example await service.stop()
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop('stopped')
    return this.#stopped
  }

  /** Ends all instances at once, whatever they do. */
  kill(): void {
    void this.stop()
    for (const instance of this.#all) instance.kill()
  }

  /** How it is; without the `load` of instances, for which {@link inspect} asks them. */
  status(): ServiceStatus {
    return this.#status(new Map())
  }

  /**
   * The same as {@link status}, with the `load` of each instance that answers within a second. Never rejects.
   *
   * @example console.log((await service.inspect()).instances.map(({ load }) => load?.p99))
   */
  async inspect(): Promise<ServiceStatus> {
    return this.#status(await loadsOf(this.#all))
  }

  #status(loads: ReadonlyMap<Instance, InstanceLoad | null>): ServiceStatus {
    const { name, file } = this
    const scaling = scalingStatus(this.#settings.scaling, this.#scaling)
    const facts = { name, file, wanted: this.#wanted, startedAt: this.#startedAt, ...this.#counts, scaling }
    const of = { crew: this.#crew, all: this.#all, loads }
    return serviceStatus({ ...facts, lastProblem: this.#lastProblem }, this.#state, of)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #launch(place = freePlace(this.#all)): Instance {
    this.#assertOpen() // whoever stops it takes a list of all instances
    const { health, waitReady, reusePort } = this.#settings
    const isGated = waitReady || health !== null || reusePort
    const instance = new Instance({ ...this.#settings, isGated, place, sticky: this.#sticky })
    const { id, pid } = instance
    this.#all.add(instance)
    this.#guard.watch(this.#all)
    instance.ready.then(() => this.#tell({ type: 'ready', instance: id, pid }), ignore)
    instance.worn.then((worn) => this.#renew(instance, worn), ignore)
    void instance.gone.then((how) => {
      this.#all.delete(instance)
      this.#guard.watch(this.#all)
      const wasWanted = !this.#crew.delete(instance)
      this.#tell({ type: 'gone', instance: id, pid, how, wasWanted })
      if (wasWanted || this.#state !== 'serving') return
      this.#counts.crashes++
      this.#lastProblem = `Instance ${id} (process ${pid}) ended ${how}.`
      this.#refillLater(instance)
    })
    return instance
  }

  /** @throws TW_ERR_INSTANCE_FAILED */
  async #readyOf(instance: Instance, rest: string, old?: Instance): Promise<void> {
    try {
      await instance.ready
      if (old) await instance.listenLike(old)
    } catch (cause) {
      this.#fail(cause as Error, rest)
    }
  }

  #fail(cause: Error, rest: string): never {
    const error = instanceFailed(this.file, cause, rest)
    if (this.#state === 'serving') this.#lastProblem = error.message
    this.#assertOpen()
    throw error
  }

  /** It may have ended between becoming ready and now. */
  #join(instance: Instance): void {
    if (instance.state === 'gone') this.#refillLater(instance)
    else this.#crew.add(instance)
  }

  /** Resolves with the new one. */
  async #replace(old: Instance, rest: string): Promise<Instance | undefined> {
    this.#assertOpen()
    if (!this.#crew.has(old)) return // it ended by itself, and its replacement is new
    const fresh = this.#launch(old.place)
    await this.#readyOf(fresh, rest, old)
    this.#assertOpen()
    this.#join(fresh)
    // If the old one died meanwhile, it has got a replacement besides this one.
    const others = [...this.#crew].filter((instance) => instance !== fresh)
    const surplus = this.#crew.has(old) ? [old] : others.slice(this.#wanted - 1)
    await Promise.all(surplus.map((instance) => this.#retire(instance)))
    return fresh
  }

  /** Goes on trying, as long as no new one becomes ready. */
  #renew(old: Instance, worn: Worn): void {
    if (!this.#crew.has(old)) return
    this.#tell({ type: 'renewing', instance: old.id, pid: old.pid, ...worn })
    const renewal = this.#changes.run(async () => {
      if (!this.#crew.has(old)) return
      await this.#replace(old, 'The old one goes on.')
      this.#counts.renewals++
    })
    renewal.catch(() => this.#timers.after(RENEW_AGAIN_MS, () => this.#renew(old, worn)))
  }

  /** Does not wait for the time at which those that died would be replaced. */
  async #complete(): Promise<void> {
    for (let missing = this.#wanted - this.#crew.size; missing > 0; missing--) {
      const instance = this.#launch()
      await this.#readyOf(instance, `${this.#crew.size} of ${this.#wanted} instances run.`)
      this.#assertOpen()
      if (this.#crew.size < this.#wanted) this.#join(instance)
      else await this.#retire(instance)
    }
  }

  async #retire(instance: Instance): Promise<void> {
    this.#crew.delete(instance)
    const { id, pid, state } = instance
    if (state !== 'gone') this.#tell({ type: 'draining', instance: id, pid })
    await instance.drain()
  }

  #refillLater({ readyAt }: Instance): void {
    const delayMs = this.#limit.ended(readyAt === null ? null : Date.now() - readyAt)
    if (this.#limit.isReached && countServing(this.#crew) === 0) {
      const details = { name: this.name, times: this.#limit.unstable, last: this.#lastProblem }
      const error = new ThreadwiseError('TW_ERR_SERVICE_FAILED', details)
      this.#lastProblem = error.message
      this.#stopped ??= this.#stop('failed', error)
      return
    }
    this.#tell({ type: 'replacing', delayMs, unstable: this.#limit.unstable })
    // Another one may already be due later; this one need not wait for it.
    this.#timers.after(delayMs, () => {
      while (this.#state === 'serving' && this.#crew.size < this.#wanted) this.#crew.add(this.#launch())
    })
  }

  async #stop(state: 'stopped' | 'failed', error?: unknown): Promise<void> {
    this.#state = 'stopping'
    this.#timers.end()
    const all = [...this.#all]
    this.#crew.clear()
    this.#sticky?.ahead?.stop()
    await endTogether(all)
    this.#state = state
    if (error !== undefined) this.#end.reject(error)
    else this.#end.resolve()
  }

  /** @throws TW_ERR_SERVICE_STOPPED */
  #assertOpen(): void {
    if (this.#stopped) throw new ThreadwiseError('TW_ERR_SERVICE_STOPPED', { name: this.name })
  }

  #tell(event: ServeEvent): void {
    // What a listener throws is its own affair, and must not stop what is under way here.
    queueMicrotask(() => this.#settings.onEvent(event))
  }
}

/** Of an instance that is gone before it serves: whoever waits for it is told. */
const ignore = () => {}
