// The caller's side: hands calls to the store, and settles each of them once, whatever becomes of store and workers.
//
//   submit --> unsent --> store --> (a worker) --> done, failed ------------------> settled --> released
//                           |                       '- the message got lost: look --^
//                           '- the job is gone; store or workers are silent (store-watch.ts) --^

import { randomUUID } from 'node:crypto'
import { ThreadwiseError } from '../../errors/errors.js'
import type { Admitting } from '../core/admission.js'
import { callerStack, rejectLater, traceToCaller } from '../executor/caller-stack.js'
import { createKeepAlive, inTime, PoolLife } from '../core/lifecycle.js'
import type { RunOptions } from '../executor/executor.js'
import type { Counts, Outcome } from '../executor/stats.js'
import { nextTurn } from '../../primitives/timers.js'
import { planOnce } from '../executor/plan-once.js'
import { readText } from '../wire/as-text.js'
import { machineNow } from '../wire/machine-clock.js'
import { withCallerStack } from '../wire/thrown.js'
import { readResult } from './call-payload.js'
import { failedReason, readFailedReason } from './failed-reason.js'
import { addCalls, pauseBeforeRetry } from './add-calls.js'
import { callErrors, refusal, unreachable, type CallErrors } from './unavailable.js'
import type { JobResult, ToCaller } from './messages.js'
import { OpenJobs } from './open-jobs.js'
import type { QueueOptions } from './queue-options.js'
import { knowJobs, watchOwnQueue } from './own-queue.js'
import { Releases } from './releases.js'
import { createRemoteCall, watchRemoteCall, type RemoteCall } from './remote-call.js'
import { SharedJobs } from './shared-jobs.js'
import type { CallerStore, JobState } from './store.js'
import { StoreWatch } from './store-watch.js'

/** Jobs that are added, or looked at, in one go. */
const BATCH = 500
/** Milliseconds for what is taken back, before the connection is closed. */
const PARTING_MS = 1000

export class RemoteCalls implements Admitting {
  onRoom: (() => void) | undefined
  /** Calls that are not settled. */
  busy = 0
  readonly ready: Promise<void>
  readonly #id = randomUUID()
  readonly #options: QueueOptions
  readonly #opened: Promise<CallerStore>
  /** With this caller listening. */
  readonly #store: Promise<CallerStore>
  readonly #open = new OpenJobs()
  /** Calls that the store does not have. */
  #unsent: RemoteCall[] = []
  #made = 0
  #isEnded = false
  /** Why the store cannot be reached, and why it does not write, as far as it was told. */
  readonly #why: { problem: string; refused: unknown } = { problem: '', refused: undefined }
  readonly #errors: CallErrors
  readonly #shared: SharedJobs
  readonly #seen: Releases
  /** What is being taken back. */
  readonly #partings = new Set<Promise<unknown>>()
  readonly #outcomes: Record<Outcome, number> = { completed: 0, failed: 0, cancelled: 0 }
  readonly #keepAlive = createKeepAlive()
  readonly #sendSoon = planOnce(nextTurn, () => void this.#send())
  readonly #watch: StoreWatch
  readonly #life = new PoolLife({
    isIdle: () => this.#open.isEmpty,
    failAll: async (makeReason) => this.#failAll(({ task }) => makeReason({ name: task })),
    onEnding: () => this.onRoom?.(), // for those who wait to be let in: they are sent away
    end: () => this.#end(),
  })

  constructor(options: QueueOptions) {
    knowJobs()
    this.#options = options
    this.#errors = callErrors(options)
    const { storeTimeout, workerTimeout } = options
    this.#watch = new StoreWatch({
      storeTimeout,
      workerTimeout,
      look: () => this.#writeAndLook(),
      replace: () => void this.#opened.then((store) => store.replace()).catch(() => {}),
      askWorkers: () => void this.#askWorkers(),
      onStoreSilent: () => this.#failAll((call) => this.#errors.withoutStore(call, this.#why)),
      onNoWorker: () => this.#failAll((call) => this.#errors.withoutWorker(call)),
    })
    this.#opened = options.openStore({
      onUp: () => void this.#lookAtAll(),
      onProblem: (problem) => (this.#why.problem = problem),
    })
    this.#store = this.#listen()
    this.#store.catch((error: unknown) => this.#failAll(() => error))
    this.#shared = new SharedJobs({
      caller: this.#id,
      store: this.#store,
      isWaitedFor: (id) => this.#open.of(id).length > 0,
    })
    this.#seen = new Releases(async (seen) => (await this.#store).release(seen))
    this.ready = this.#reachInTime(options.startTimeout)
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
  }

  /** Jobs that the workers run at a time, as far as they have told: they are asked while a call is open. */
  get size(): number {
    return this.#life.takesForks ? this.#watch.places : 0
  }

  /** One call may always be open, or with `maxQueue: 0` no worker would ever be asked. */
  get places(): number {
    return this.#life.takesForks ? Math.max(1, this.#watch.places) : 0
  }

  get isOpen(): boolean {
    return this.#life.isOpen
  }

  /** What waits belongs to the store, and may be running by now. */
  discardOldest(): boolean {
    return false
  }

  get counts(): Counts {
    let queued = 0
    let running = 0
    for (const { count, isStored } of this.#open.all) {
      if (isStored) running += count
      else queued += count
    }
    return { queued, running, ...this.#outcomes }
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    return this.#begin(name, args, options)
  }

  /** The inputs of several calls, in one job. */
  submitEach(name: string, inputs: readonly unknown[], options?: RunOptions): Promise<unknown> {
    return this.#begin(name, inputs, options, true)
  }

  close(timeout = this.#options.closeTimeout): Promise<void> {
    return this.#life.close(timeout)
  }

  destroy(reason: unknown): Promise<void> {
    return this.#life.destroy(reason)
  }

  async #listen(): Promise<CallerStore> {
    const store = await this.#opened
    try {
      await store.listen(this.#id, (message) => this.#receive(message))
      await store.readClock()
    } catch (error) {
      throw refusal(this.#options.queue, error, this.#options.storeErrors)
    }
    return store
  }

  async #reachInTime(timeout: number): Promise<void> {
    const isThere = await inTime(
      this.#store.then(() => {}),
      timeout,
    )
    if (isThere) return
    throw unreachable(this.#options.queue, timeout, { option: 'startTimeout', why: this.#why.problem })
  }

  #begin(
    name: string,
    args: readonly unknown[],
    options: RunOptions | undefined,
    isEach = false,
  ): Promise<unknown> {
    if (!this.#life.isOpen) return Promise.reject(this.#life.lateError)
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const { observer } = this.#options
    const settings = { ...this.#options, caller: this.#id, number: ++this.#made, isEach }
    let call: RemoteCall
    try {
      call = createRemoteCall(name, args, options, settings)
    } catch (error) {
      observer.endAtOnce(name, 'failed')
      this.#outcomes.failed += isEach ? args.length : 1
      return rejectLater(() => traceToCaller(error))
    }
    call.timing = observer.accept(name)
    const unwatch = watchOwnQueue(this.#options.queue, call, {
      opened: this.#store,
      places: () => this.#watch.places,
      refuse: (error) => this.#giveUp(call, error, 'failed'),
    })
    if (unwatch) call.releases.push(unwatch)
    const result = new Promise<unknown>((resolve, reject) => Object.assign(call, { resolve, reject }))
    this.#open.add(call)
    this.busy++
    this.#keepAlive.set(true)
    this.#watch.start()
    watchRemoteCall(call, options, {
      giveUp: (reason, outcome) => this.#giveUp(call, reason, outcome),
      onLate: () => void this.#withdrawLate(call, options!.queueTimeout!),
    })
    this.#unsent.push(call)
    this.#sendSoon()
    return result
  }

  async #send(): Promise<void> {
    const calls = this.#unsent
    this.#unsent = []
    let store: CallerStore
    try {
      store = await this.#store
    } catch (error) {
      for (const call of calls) this.#fail(call, error)
      return
    }
    for (let i = 0; i < calls.length; i += BATCH) void this.#add(store, calls.slice(i, i + BATCH))
  }

  async #add(store: CallerStore, given: readonly RemoteCall[]): Promise<void> {
    const calls = given.filter(({ isSettled }) => !isSettled)
    const shared = calls.filter(({ isShared }) => isShared)
    const isHeard = await Promise.all(shared.map((call) => this.#join(store, call)))
    await addCalls(
      store,
      calls.filter((call) => !shared.some((one, i) => one === call && !isHeard[i])),
      {
        storeErrors: this.#options.storeErrors,
        isOver: () => this.#isEnded,
        onStored: (stored) => void this.#noteStored(store, stored),
        onState: (call, state) => !call.isShared && this.#onState(call.id, state),
        onRefusal: (error) => (this.#why.refused = error),
        onRefused: (call, error) => this.#giveUp(call, this.#errors.refused(call, error), 'failed'),
      },
    )
  }

  /** Its job may be there already, and be that of another program: what becomes of it is told where all of them listen. */
  async #join(store: CallerStore, call: RemoteCall): Promise<boolean> {
    try {
      await this.#shared.settled(call.id)
      const { stop } = await store.listen(call.id, (message) => this.#receive(message))
      call.releases.push(stop)
      if (call.isSettled) stop()
      return true
    } catch (error) {
      this.#giveUp(call, this.#errors.refused(call, error), 'failed')
      return false
    }
  }

  async #noteStored(store: CallerStore, calls: readonly RemoteCall[]): Promise<void> {
    for (const call of calls) if (!call.isShared) call.isStored = true
    const doubtful = calls.filter(({ isShared, isInDoubt }) => !isShared && isInDoubt).map(({ id }) => id)
    const shared = calls.filter(({ isShared }) => isShared)
    await Promise.all(shared.map((call) => this.#claim(store, call)))
    // Their jobs may be over already.
    const ids = [...doubtful, ...shared.filter(({ isStored }) => isStored).map(({ id }) => id)]
    if (ids.length > 0) await this.#look(ids).catch(() => {})
  }

  /** Only now, as whoever came first has it: what is told of a job is for those who have asked for the same. */
  async #claim(store: CallerStore, call: RemoteCall): Promise<void> {
    for (let attempt = 0; !call.isSettled && !this.#isEnded; attempt++) {
      try {
        const owner = await store.ownerOf(call.id)
        if (!owner || (owner.task === call.task && owner.of === call.of)) call.isStored = true
        else this.#fail(call, this.#errors.otherOwner(call, owner.task))
        return
      } catch {
        await pauseBeforeRetry(attempt) // the store is away, or refuses: the call waits for as long as its times allow
      }
    }
  }

  #receive(message: ToCaller): void {
    if (message.type === 'here') {
      this.#watch.noteWorker(message.worker)
      return this.onRoom?.()
    }
    if (message.type === 'anybody' || message.type === 'waits') return this.#shared.receive(message)
    this.#watch.noteWorker()
    const { id } = message
    if (message.type === 'progress') return this.#progress(id, message.payload)
    if (message.type === 'ended')
      void this.#look([id]).catch(() => {}) // lost with the connection: a later look finds it
    else if (message.type === 'done') this.#onState(id, { state: 'completed', result: message.result })
    else this.#onState(id, { state: 'failed', reason: message.reason })
  }

  #progress(id: string, payload: string): void {
    for (const { listener, task, isSettled } of this.#open.of(id)) {
      if (isSettled || !listener?.wantsProgress) continue
      let value: unknown
      try {
        const where = "in the caller's process"
        value = readText(payload, { what: 'A progress value', task, where })
      } catch (error) {
        listener.refuse(error)
        continue
      }
      listener.progress(value)
    }
  }

  /** Only a store that writes is there. */
  async #writeAndLook(): Promise<void> {
    const store = await this.#store
    try {
      await store.write()
      this.#why.refused = undefined
    } catch (error) {
      this.#why.refused = error
      throw error
    }
    const ids = this.#open.nextStored(BATCH)
    if (ids.length > 0) await this.#look(ids)
  }

  async #lookAtAll(): Promise<void> {
    void this.#store.then((store) => store.readClock()).catch(() => {}) // it may be another server's now
    const count = this.#open.all.length
    for (let seen = 0; seen < count; seen += BATCH)
      await this.#look(this.#open.nextStored(BATCH)).catch(() => {})
  }

  async #look(ids: readonly string[]): Promise<void> {
    const store = await this.#store
    const states = await store.look(ids)
    ids.forEach((id, i) => this.#onState(id, states[i]!))
  }

  #onState(id: string, state: JobState): void {
    if (state.state === 'open') return
    for (const call of this.#open.of(id)) {
      const isGone = state.state === 'missing' || state.state === 'withdrawn'
      if (!call.isStored && (call.isShared || isGone)) continue // nobody knows yet whose job that is, or it is on its way
      if (state.state === 'completed') this.#complete(call, state.result)
      else if (state.state === 'failed') this.#failThrown(call, readFailedReason(state.reason))
      else if (state.state === 'foreign') this.#fail(call, this.#errors.foreign(call, state.what))
      else if (state.state === 'withdrawn') this.#addAnew(call)
      else this.#onLost(call)
    }
  }

  #onLost(call: RemoteCall): void {
    if (call.losses++ >= this.#options.retries) return this.#fail(call, this.#errors.lost(call))
    this.#addAnew(call)
  }

  /** It has not started, or may start again. */
  #addAnew(call: RemoteCall): void {
    Object.assign(call, { isStored: false, isInDoubt: false, made: 0 })
    this.#unsent.push(call)
    this.#sendSoon()
  }

  /** It has waited for as long as it may; but it may have started, of which no message tells. */
  async #withdrawLate(call: RemoteCall, timeout: number): Promise<void> {
    if (call.isStored && !(await this.#isStillWaiting(call))) return
    this.#giveUp(call, new ThreadwiseError('TW_ERR_QUEUE_TIMEOUT', { task: call.task, timeout }), 'failed')
  }

  async #isStillWaiting({ id, isShared }: RemoteCall): Promise<boolean> {
    try {
      const store = await this.#store
      if (isShared) return (await store.ownerOf(id))?.isTaken === false
      return (await store.withdraw(id)).state === 'withdrawn'
    } catch {
      return false
    }
  }

  #complete(call: RemoteCall, result: JobResult): void {
    let value: unknown
    try {
      value = readResult(call.task, result)
    } catch (error) {
      return this.#failThrown(call, error)
    }
    if (call.timing) call.timing.startedAt = machineNow() - result.ms
    if (!this.#settle(call, 'completed')) return
    this.#noteSeen(call)
    this.#options.observer.ran += call.count
    call.resolve(value)
  }

  #failThrown(call: RemoteCall, thrown: unknown): void {
    if (!this.#settle(call, 'failed')) return
    this.#noteSeen(call)
    this.#options.observer.ran += call.count
    call.resolve(rejectLater(() => withCallerStack(thrown, callerStack(call.task))))
  }

  /** What others may ask for is kept for its whole time. */
  #noteSeen({ id, isShared }: RemoteCall): void {
    if (!isShared) this.#seen.add({ id, ms: this.#options.keepResults })
  }

  /** Takes its job back, if it can. */
  #giveUp(call: RemoteCall, reason: unknown, outcome: 'cancelled' | 'failed'): void {
    if (!this.#settle(call, outcome)) return
    if (outcome === 'cancelled') call.reject(reason)
    else call.resolve(rejectLater(() => traceToCaller(reason)))
    this.#part(call, reason)
  }

  #fail(call: RemoteCall, reason: unknown): void {
    if (this.#settle(call, 'failed')) call.resolve(rejectLater(() => reason))
  }

  #failAll(makeReason: (call: RemoteCall) => unknown): void {
    for (const call of this.#open.all) {
      const reason = makeReason(call)
      this.#fail(call, reason)
      if (!call.isShared) this.#part(call, reason) // one with an id outlives this caller
    }
  }

  /** False: it was settled before. */
  #settle(call: RemoteCall, outcome: Outcome): boolean {
    if (call.isSettled) return false
    call.isSettled = true
    const { observer } = this.#options
    if (call.timing) observer.settle(call.timing, call.task, outcome)
    this.#outcomes[outcome] += call.count
    this.#open.remove(call)
    for (const release of call.releases) release()
    this.busy--
    this.onRoom?.()
    if (!this.#open.isEmpty) return true
    this.#keepAlive.set(false)
    this.#watch.stop()
    this.#life.onIdle()
    return true
  }

  /** Neither the store nor a worker need go on with it; with a shared one only where nobody else waits for it. */
  #part({ id, isShared, made }: RemoteCall, thrown: unknown): void {
    const reason = failedReason(thrown)
    const quiet = (isShared ? this.#leave(id, reason) : this.#takeBack(id, reason, made)).catch(() => {})
    this.#partings.add(quiet)
    void quiet.then(() => this.#partings.delete(quiet))
  }

  async #leave(id: string, reason: string): Promise<void> {
    if (this.#open.of(id).length === 0) await this.#shared.leave(id, reason)
  }

  async #takeBack(id: string, reason: string, made: number): Promise<void> {
    const store = await this.#store
    const message = { type: 'cancel', id, reason, ...(made > 0 && { made }) } as const
    await Promise.all([store.tellWorkers(message), store.withdraw(id)])
  }

  async #askWorkers(): Promise<void> {
    await this.#store.then((store) => store.tellWorkers({ type: 'who', reply: this.#id })).catch(() => {})
  }

  async #end(): Promise<void> {
    this.#watch.stop()
    this.#keepAlive.end()
    const last = Promise.all([...this.#partings, this.#seen.flush()]).then(() => {})
    await inTime(last, PARTING_MS)
    this.#isEnded = true
    // What never opens, as a function that gives no connection, is not waited for.
    const closed = this.#opened.then((store) => store.close()).catch(() => {})
    await inTime(closed, 2 * PARTING_MS)
  }
}
