// A server that runs in several instances: start, reload, scale and stop, one after the other, and what is done when an instance
// crashes or reaches a limit. Each of these changes the set of instances (instance-set.ts) until it is as wanted.

import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import type { ServiceStatus } from '../contract/events.js'
import type { ServeOptions } from '../contract/options.js'
import type { ServedFile } from '../contract/program-options.js'
import { checkInstances, resolveServeOptions, type ResolvedServe } from '../contract/resolve-options.js'
import { reusePortWarnings } from '../contract/reuse-port.js'
import type { Instance, ReachedLimit } from '../primary/instance.js'
import { applied, changesBetween, type OptionChange } from './apply.js'
import { InstanceSet } from './instance-set.js'
import { startPatiently, type PatientStart } from './patient-start.js'
import { replaceAll, replaceOne } from './reload.js'
import { resize } from './resize.js'
import { isDone, RestartPolicy } from './restart-policy.js'
import { startScaling, type Scaling } from './scaling.js'
import { SerialQueue } from './serial-queue.js'
import { ServiceHistory } from './service-history.js'
import { ServiceLife } from './service-life.js'
import { instanceLoads, scalingStatus, serviceStatus, type Loads } from './service-status.js'

/** When an instance that should be replaced, and could not be, is tried again. */
const TRY_AGAIN_MS = 15_000

/** A server that runs in several instances; made by {@link serve}. */
export class Service implements AsyncDisposable {
  /** By which commands and messages call it. */
  readonly name: string
  /** Path of what was started, or the words of a command. */
  file: string
  /** Resolves when it was stopped; rejects with TW_ERR_SERVICE_FAILED when it gave up. */
  readonly ended: Promise<void>
  #settings: ResolvedServe
  readonly #life: ServiceLife
  readonly #history: ServiceHistory
  readonly #instances: InstanceSet
  #restarts: RestartPolicy
  readonly #changes: SerialQueue
  #scaling: Scaling | null = null
  #nextReload: Promise<void> | undefined
  /** While no attempt to start it has succeeded. */
  #firstStart: PatientStart | undefined
  /** One that may run only once did not end well. */
  #hasFailed = false

  /** @internal */
  constructor(settings: ResolvedServe) {
    this.#settings = settings
    this.#restarts = new RestartPolicy(settings)
    this.name = settings.name
    this.file = settings.file
    this.#life = new ServiceLife(settings.name, () => this.#instances.end())
    this.ended = this.#life.ended
    this.#history = new ServiceHistory(settings.onEvent)
    this.#changes = new SerialQueue(() => this.#life.assertOpen())
    this.#instances = new InstanceSet(
      settings,
      { life: this.#life, history: this.#history },
      {
        onEnd: (instance) => this.#afterEnd(instance),
        onLimit: (instance, reached) => this.#replaceAtLimit(instance, reached),
      },
    )
  }

  /**
   * Resolves when all instances serve; if one cannot, none is left running. With `onFailure` that is told, and it is tried again.
   *
   * @internal
   */
  start(onFailure?: (error: Error) => void): Promise<void> {
    return this.#changes.run(() => this.#start(onFailure)) // as the first of them: what is asked for meanwhile comes after
  }

  async #start(onFailure?: (error: Error) => void): Promise<void> {
    try {
      if (onFailure) await this.#startPatiently(onFailure)
      else await this.#startOnce('Nothing was started.')
    } catch (error) {
      if (!this.#life.isOpen) throw error
      await this.#life.fail(error)
      throw error
    }
    const warnings = this.#settings.reusePort ? reusePortWarnings() : []
    for (const text of warnings) this.#history.emit({ type: 'warning', text })
    this.#scaling = this.#startScaling()
  }

  async #startOnce(rest: string): Promise<void> {
    const count = this.#instances.wanted // none for a job
    const launched = Array.from({ length: count }, () => this.#instances.launchReady(rest))
    try {
      const first = await Promise.all(launched)
      this.#life.serve()
      for (const instance of first) this.#instances.add(instance)
    } catch (error) {
      this.#instances.kill()
      await Promise.allSettled(launched)
      throw error
    }
  }

  async #startPatiently(onFailure: (error: Error) => void): Promise<void> {
    let times = 0
    this.#firstStart = startPatiently({
      attempt: () => this.#startOnce('It is tried again.'),
      onFailure: (error, delayMs) => {
        this.#life.assertOpen()
        this.#history.crashed(0, error.message, false)
        if (++times >= this.#settings.maxRestarts) throw error
        this.#history.emit({ type: 'replacing', delayMs, unstable: times })
        onFailure(error)
      },
      after: (delayMs, action) => this.#life.after(delayMs, action),
    })
    await Promise.race([this.#firstStart.done, this.#life.closing.then(() => this.#life.assertOpen())])
    this.#firstStart = undefined
    this.#history.settle()
  }

  #startScaling(): Scaling | null {
    const { scaling } = this.#settings
    return (
      scaling &&
      startScaling(scaling, {
        instances: this.#instances,
        scale: (to) => this.scale(to),
        emit: (event) => this.#history.emit(event),
        after: (delayMs, action) => this.#life.after(delayMs, action),
      })
    )
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
    if (this.#firstStart) return this.#firstStart.tryNow() // there is nothing to replace yet
    this.#nextReload ??= this.#changes.run(async () => {
      this.#nextReload = undefined
      await replaceAll(this.#instances, this.#settings.parallel).catch((error: unknown) => {
        // Where the old one had to go first, its place is empty.
        if (this.#instances.isExclusive) this.#life.after(TRY_AGAIN_MS, () => this.#instances.refill())
        throw error
      })
      this.#history.reloads++
      this.#restarts.reset()
      this.#history.settle()
      this.#history.emit({ type: 'reloaded', instances: this.#instances.active.size })
    })
    return this.#nextReload
  }

  /**
   * Runs with other options from now on: reloads with them, and changes the number of instances. Where a new instance does not become ready,
   * all is as before. Gives what differs; with `isTrial` nothing is done.
   *
   * @internal
   * @throws TW_ERR_INVALID_OPTION (as a rejection) when an option differs that a reload cannot change
   */
  async apply(file: ServedFile, options: ServeOptions, isTrial: boolean): Promise<OptionChange[]> {
    const before = this.#settings
    const next = {
      ...resolveServeOptions(file, options),
      isJob: before.isJob,
      ...(before.isJob && { instances: 0 }),
    }
    const changes = changesBetween(before, next)
    const fixed = changes.filter(({ isApplied }) => !isApplied).map(({ option }) => option)
    if (isTrial || changes.length === 0) return changes
    checkOption(
      fixed.length === 0,
      fixed.join(', '),
      'as before: stop and start the service to change it',
      'another value',
    )
    this.#use(applied(before, next))
    try {
      await this.reload()
    } catch (error) {
      this.#use(before)
      throw error
    }
    if (next.instances !== before.instances) await this.scale(next.instances)
    return changes
  }

  #use(settings: ResolvedServe): void {
    this.#settings = settings
    this.file = settings.file
    this.#restarts = new RestartPolicy(settings)
    this.#instances.use(settings)
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
    checkOption(
      !this.#settings.isJob,
      'instances',
      'left out for a job: one runs at each of its times',
      instances,
    )
    return this.#changes.run(() => resize(this.#instances, instances))
  }

  /**
   * Takes no more connections, lets requests end, and ends all instances. Never rejects.
   *
   * @example await service.stop()
   */
  stop(): Promise<void> {
    return this.#life.stop()
  }

  /** Ends all instances at once, whatever they do. */
  kill(): void {
    void this.stop()
    this.#instances.kill()
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
    return this.#status(await instanceLoads(this.#instances.all))
  }

  /** Stops the service at the end of a block, by `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** @internal Instances listen by themselves, so it is not known on what. */
  get hasReusePort(): boolean {
    return this.#settings.reusePort
  }

  #status(loads: Loads): ServiceStatus {
    const [instances, history] = [this.#instances, this.#history]
    const scaling = scalingStatus(this.#settings.scaling, this.#scaling)
    const { name, file } = this
    const kind = this.#settings.isJob ? 'job' : this.#settings.program === null ? 'server' : 'program'
    return serviceStatus({ name, file, kind, state: this.#life.state, instances, history, scaling }, loads)
  }

  /** An instance has ended by itself. */
  #afterEnd(instance: Instance): void {
    const isWell = isDone(instance.exitCode, this.#settings)
    if (!isWell && this.#settings.restart !== 'never') return this.#restartAfter(instance)
    this.#hasFailed ||= !isWell
    this.#instances.wanted--
    this.#history.emit({
      type: 'done',
      instance: instance.id,
      pid: instance.pid,
      exitCode: instance.exitCode,
    })
    if (this.#instances.wanted > 0 || this.#settings.isJob) return
    if (this.#hasFailed) this.#giveUp(1)
    else void this.#life.stop()
  }

  /**
   * Starts the job of this service, unless it still runs: then that is said, and the next time is waited for.
   *
   * @internal
   */
  runJob(): Promise<void> {
    return this.#changes.run(async () => {
      const [running] = this.#instances.active
      if (running) return this.#history.emit({ type: 'skipped', instance: running.id, pid: running.pid })
      this.#instances.wanted = 1
      this.#history.runs++
      this.#instances.add(await this.#instances.launchReady('It is tried again at its next time.'))
    })
  }

  #restartAfter({ readyAt }: Instance): void {
    const [instances, restarts] = [this.#instances, this.#restarts]
    const servedMs = readyAt === null ? null : Date.now() - readyAt
    const delayMs = restarts.delayAfter(servedMs, instances.servingCount)
    if (delayMs === null) return this.#giveUp()
    this.#history.emit({ type: 'replacing', delayMs, unstable: restarts.unstable })
    // Another one may already be due later; this one need not wait for it.
    this.#life.after(delayMs, () => instances.refill())
  }

  #giveUp(times = this.#restarts.unstable): void {
    const details = { name: this.name, times, last: this.#history.lastProblem }
    const error = new ThreadwiseError('TW_ERR_SERVICE_FAILED', details)
    this.#history.lastProblem = error.message
    void this.#life.fail(error)
  }

  /** Goes on trying, as long as no new one becomes ready. */
  #replaceAtLimit(old: Instance, reached: ReachedLimit): void {
    this.#history.emit({ type: 'renewing', instance: old.id, pid: old.pid, ...reached })
    if (old.state === 'failing') {
      this.#history.lastProblem = `Instance ${old.id} (process ${old.pid}) is to be replaced: ${reached.found} (${reached.limit}).`
    }
    const replaced = this.#changes.run(async () => {
      if (await replaceOne(this.#instances, old, 'The old one goes on.')) this.#history.renewals++
    })
    const tryAgain = () => {
      if (this.#instances.active.has(old)) this.#replaceAtLimit(old, reached)
    }
    replaced.catch(() => this.#life.after(TRY_AGAIN_MS, tryAgain))
  }
}
