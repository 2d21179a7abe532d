// The instances of a service: starts them, knows which of them count, and lets them go.
//
//   launch() ──> alive ──add()──> active ──retire()──> draining ──> gone
//                  │                 └──ends by itself──> gone: a crash
//                  └──not ready, or ends──> gone
//
// Only active instances count: there should be `wanted` of them. The new instance of a reload is active from when it serves,
// so that the old one counts until then. One in place of an instance that crashed is active at once: nothing else fills its place.

import { ThreadwiseError } from '../../errors/errors.js'
import { firstFree } from '../../primitives/first-free.js'
import type { ResolvedServe } from '../contract/resolve-options.js'
import { createEntrance, type Entrance } from '../sticky/entrance.js'
import { createSticky } from '../sticky/sticky.js'
import { endTogether } from './end-together.js'
import { createOrphanGuard, type OrphanGuard } from '../primary/orphan-guard.js'
import { FailedInstance } from '../primary/failed-start.js'
import type { OnListen } from '../primary/in-flight-connections.js'
import { ServerInstance, type Instance, type ReachedLimit } from '../primary/instance.js'
import { Program } from '../primary/program.js'
import { createSocketFiles } from '../primary/socket-files.js'
import { isDone } from './restart-policy.js'
import type { ServiceHistory } from './service-history.js'
import type { ServiceLife } from './service-life.js'

export interface InstanceSetListener {
  /** An active instance has ended by itself: fewer are active than are wanted. */
  onEnd(instance: Instance): void
  /** An active instance should be replaced. */
  onLimit(instance: Instance, reached: ReachedLimit): void
}

export class InstanceSet {
  /** How many should be active. */
  wanted: number
  #settings: ResolvedServe
  readonly #life: ServiceLife
  readonly #history: ServiceHistory
  readonly #listener: InstanceSetListener
  readonly #all = new Set<Instance>()
  readonly #active = new Set<Instance>()
  readonly #guard: OrphanGuard
  readonly #entrance: Entrance
  /** Of what was listened on: by the key of node:cluster, for people. */
  readonly #ports = new Map<string, string>()
  readonly #socketFiles = createSocketFiles((key) => [...this.#all].some((one) => one.listensOn(key)))

  constructor(
    settings: ResolvedServe,
    { life, history }: { life: ServiceLife; history: ServiceHistory },
    listener: InstanceSetListener,
  ) {
    this.#settings = settings
    this.#life = life
    this.#history = history
    this.#listener = listener
    this.wanted = settings.instances
    this.#guard = createOrphanGuard(settings.graceMs)
    this.#entrance = createEntrance(settings.stickyBy ? createSticky(settings.stickyBy.cookie) : null)
  }

  /** Instances that are launched from now on have these. */
  use(settings: ResolvedServe): void {
    this.#settings = settings
  }

  /** From the launch of each to its end. */
  get all(): ReadonlySet<Instance> {
    return this.#all
  }

  /** Whether an old instance must be gone before a new one starts: only what shares a port takes over without a gap. */
  get isExclusive(): boolean {
    return this.#settings.program !== null
  }

  /** What was listened on, for people. */
  get ports(): string[] {
    return [...this.#ports.values()]
  }

  get active(): ReadonlySet<Instance> {
    return this.#active
  }

  /** Active instances that serve: others are on the way to it. */
  get servingCount(): number {
    return [...this.#active].filter(({ state }) => state === 'serving').length
  }

  /**
   * A new instance that is ready, and not active yet.
   *
   * @param rest what becomes of the others if it does not become ready, for the message
   * @param old the instance that it is to replace: it takes its place, and must listen on what it listens on
   * @throws TW_ERR_INSTANCE_FAILED, TW_ERR_SERVICE_STOPPED (as rejections)
   */
  async launchReady(rest: string, old?: Instance): Promise<Instance> {
    const instance = this.#launch(old?.place)
    try {
      await instance.ready
      if (old) await instance.listenLike(old)
    } catch (cause) {
      this.fail(cause as Error, rest)
    }
    this.#life.assertOpen()
    return instance
  }

  /** Throws the error of an instance that is not what it should be, unless that is because the service ends. */
  fail(cause: Error, rest: string): never {
    const details = { file: this.#settings.file, reason: cause.message, rest }
    const error = new ThreadwiseError('TW_ERR_INSTANCE_FAILED', details, { cause })
    if (this.#life.state === 'serving') this.#history.lastProblem = error.message
    this.#life.assertOpen()
    throw error
  }

  /** Makes an instance active, unless it has ended between becoming ready and now. */
  add(instance: Instance): void {
    if (instance.state !== 'gone') this.#active.add(instance)
    else void instance.gone.then((how) => this.#lost(instance, how))
  }

  /** Resolves when it is gone, after its requests. */
  async retire(instance: Instance): Promise<void> {
    this.#active.delete(instance)
    const { id, pid, state } = instance
    if (state !== 'gone') this.#history.emit({ type: 'draining', instance: id, pid })
    await instance.drain()
  }

  /** Starts as many as are missing, without waiting for them. */
  refill(): void {
    while (this.#active.size < this.wanted) this.#active.add(this.#launch())
  }

  /** Ends all, after their requests. */
  async end(): Promise<void> {
    const all = [...this.#all]
    this.#active.clear()
    this.#entrance.sticky?.ahead?.stop()
    await endTogether(all)
    this.#socketFiles.close()
  }

  /** Ends all at once. */
  kill(): void {
    for (const instance of this.#all) instance.kill()
  }

  #launch(place = firstFree([...this.#all].map(({ place }) => place))): Instance {
    this.#life.assertOpen() // end() takes a list of all instances
    const startMark = `${process.pid}-${++lastStart}-${Date.now()}`
    this.#guard.expect(startMark)
    const instance = this.#created({ place, startMark })
    const { id, pid } = instance
    this.#all.add(instance)
    this.#guard.watch(this.#all)
    instance.ready.then(() => {
      this.#history.served(place)
      this.#history.emit({ type: 'ready', instance: id, pid })
    }, ignore)
    instance.needsReplacement.then((reached) => {
      if (this.#active.has(instance)) this.#listener.onLimit(instance, reached)
    }, ignore)
    void instance.gone.then((how) => this.#onGone(instance, how))
    return instance
  }

  #created(start: Start): Instance {
    try {
      return this.#create(start)
    } catch (error) {
      return new FailedInstance(start.place, error as Error)
    }
  }

  #create(start: Start): Instance {
    const { program, health, waitReady, reusePort } = this.#settings
    if (program !== null) return new Program({ ...this.#settings, ...start })
    const onListen: OnListen = (...what) => this.#onListen(...what)
    const onTrouble = (text: string) => this.#history.warn(text)
    return new ServerInstance({
      ...this.#settings,
      isShut: waitReady || health !== null,
      isGated: reusePort,
      ...start,
      entrance: this.#entrance,
      onListen,
      onTrouble,
    })
  }

  /** One that comes when all serve already was perhaps waited for by nobody. */
  #onListen(key: string, place: string): void {
    this.#socketFiles.keep(key)
    const before = this.#ports.get(key)
    if (before === place) return
    this.#ports.set(key, place)
    const more = before === undefined ? ' too' : '' // who asks for any port gets another one when all had closed it
    if (this.#life.state === 'serving')
      this.#history.emit({ type: 'warning', text: `From now on it listens on ${place}${more}.` })
  }

  #onGone(instance: Instance, how: string): void {
    const { id, pid } = instance
    this.#all.delete(instance)
    this.#guard.watch(this.#all)
    const wasWanted = !this.#active.delete(instance)
    this.#history.emit({ type: 'gone', instance: id, pid, how, wasWanted })
    if (!wasWanted && this.#life.state === 'serving') this.#lost(instance, how)
  }

  #lost(instance: Instance, how: string): void {
    const { id, pid, exitCode } = instance
    if (!isDone(exitCode, this.#settings)) {
      this.#history.crashed(
        instance.place,
        `Instance ${id} (process ${pid}) ended ${how}.`,
        instance.readyAt !== null,
      )
    }
    this.#listener.onEnd(instance)
  }
}

let lastStart = 0

interface Start {
  readonly place: number
  /** By which its process is found before its id is known. */
  readonly startMark: string
}

/** For instances that end before they serve: launchReady() rejects, and `gone` resolves. */
const ignore = () => {}
