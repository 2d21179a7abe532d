// The caller's side: hands calls to the store, and settles each of them once, whatever becomes of store and workers.
//
//   submit --> unsent --> store --> (a worker) --> done, failed ------------------> settled
//                           |                       '- the message got lost: look --^
//                           '- the job is gone; store or workers are silent (store-watch.ts) --^

import { randomUUID } from 'node:crypto'
import { describe, ThreadwiseError } from '../../errors/errors.js'
import type { Admitting } from '../core/admission.js'
import { callerStack, rejectLater, traceToCaller } from '../executor/caller-stack.js'
import { createKeepAlive, inTime, PoolLife } from '../core/lifecycle.js'
import type { Observer } from '../core/observer.js'
import type { RunOptions } from '../executor/executor.js'
import type { Counts, Outcome } from '../executor/stats.js'
import { nextTurn } from '../../primitives/timers.js'
import { planOnce } from '../executor/plan-once.js'
import { readText } from '../wire/as-text.js'
import { machineNow } from '../wire/machine-clock.js'
import { withCallerStack } from '../wire/thrown.js'
import { readResult } from './call-payload.js'
import { failedReason, readFailedReason } from './failed-reason.js'
import type { ConnectionEvents } from './connection/connection.js'
import { HOW_TO_REACH, refusal, unreachable } from './unavailable.js'
import type { JobResult, ToCaller } from './messages.js'
import { OpenJobs } from './open-jobs.js'
import type { ResolvedBullmqOptions } from './options.js'
import { createCall, watchCall, type RemoteCall } from './remote-call.js'
import type { CallerStore, JobState } from './store.js'
import { StoreWatch } from './store-watch.js'

/** Jobs that are added, or looked at, in one go. */
const BATCH = 500
/** Milliseconds for what is taken back, before the connection is closed. */
const PARTING_MS = 1000
const HOW_TO_ADD = 'Look at its memory (maxmemory) and its rights.'

export interface RemoteCallsOptions extends ResolvedBullmqOptions {
  readonly observer: Observer
  readonly channelOf: (caller: string) => string
  readonly openStore: (events: ConnectionEvents) => Promise<CallerStore>
}

export class RemoteCalls implements Admitting {
  onRoom: (() => void) | undefined
  /** Calls that are not settled. */
  busy = 0
  readonly ready: Promise<void>
  readonly #id = randomUUID()
  readonly #options: RemoteCallsOptions
  readonly #opened: Promise<CallerStore>
  /** With this caller listening. */
  readonly #store: Promise<CallerStore>
  readonly #open = new OpenJobs()
  /** Calls that the store does not have. */
  #unsent: RemoteCall[] = []
  #made = 0
  /** Why the store cannot be reached, as far as it was told. */
  #problem = ''
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

  constructor(options: RemoteCallsOptions) {
    this.#options = options
    const { storeTimeout, workerTimeout } = options
    this.#watch = new StoreWatch({
      ...{ storeTimeout, workerTimeout },
      look: () => this.#look(this.#open.nextStored(BATCH)),
      askWorkers: () => void this.#askWorkers(),
      onStoreSilent: () => this.#failAll((call) => this.#withoutStore(call)),
      onNoWorker: () => this.#failAll((call) => this.#withoutWorker(call)),
    })
    this.#opened = options.openStore({
      onUp: () => void this.#lookAtAll(),
      onProblem: (problem) => (this.#problem = problem),
    })
    this.#store = this.#listen()
    this.#store.catch((error: unknown) => this.#failAll(() => error))
    this.ready = this.#reachInTime(options.startTimeout)
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
  }

  get places(): number {
    return this.#life.takesForks ? this.#watch.places : 0
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
      await store.listen(this.#options.channelOf(this.#id), (message) => this.#receive(message))
    } catch (error) {
      throw refusal(this.#options.queue, error)
    }
    this.#watch.noteStore()
    return store
  }

  async #reachInTime(timeout: number): Promise<void> {
    const isThere = await inTime(
      this.#store.then(() => {}),
      timeout,
    )
    if (isThere) return
    throw unreachable(this.#options.queue, timeout, { option: 'startTimeout', why: this.#problem })
  }

  #begin(
    name: string,
    args: readonly unknown[],
    options: RunOptions | undefined,
    isEach = false,
  ): Promise<unknown> {
    if (!this.#life.isOpen) return Promise.reject(this.#life.lateError)
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const { channelOf, retries, maxPayload, observer } = this.#options
    const settings = { caller: this.#id, number: ++this.#made, channelOf, isEach, retries, maxPayload }
    let call: RemoteCall
    try {
      call = createCall(name, args, options, settings)
    } catch (error) {
      observer.endAtOnce(name, 'failed')
      this.#outcomes.failed += isEach ? args.length : 1
      return rejectLater(() => traceToCaller(error))
    }
    call.timing = observer.accept(name)
    const result = new Promise<unknown>((resolve, reject) => Object.assign(call, { resolve, reject }))
    this.#open.add(call)
    this.busy++
    this.#keepAlive.set(true)
    this.#watch.start()
    watchCall(call, options, {
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
    if (calls.length === 0) return
    try {
      await Promise.all(calls.filter(({ isShared }) => isShared).map((call) => this.#join(store, call)))
      await store.add(calls)
    } catch (error) {
      for (const call of calls) this.#giveUp(call, this.#refused(call, error), 'failed')
      return
    }
    this.#watch.noteStore()
    for (const call of calls) call.isStored = true
    // Its job may be over already.
    const shared = calls.filter(({ isShared }) => isShared).map(({ id }) => id)
    if (shared.length > 0) await this.#look(shared).catch(() => {})
  }

  /** Its job may be there already, and be that of another program: what becomes of it is told where all of them listen. */
  async #join(store: CallerStore, call: RemoteCall): Promise<void> {
    const { stop } = await store.listen(call.data.reply, (message) => this.#receive(message))
    call.releases.push(stop)
    if (call.isSettled) stop()
    const task = await store.taskOf(call.id)
    if (task === undefined || task === call.task) return
    const expected = `one that is not in use for another task (it is, for "${task}")`
    const details = { option: 'id', expected, received: call.id }
    this.#fail(call, new ThreadwiseError('TW_ERR_INVALID_OPTION', details))
  }

  #receive(message: ToCaller): void {
    if (message.type === 'here') {
      this.#watch.noteWorker(message.worker)
      return this.onRoom?.()
    }
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

  async #lookAtAll(): Promise<void> {
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
      if (state.state === 'completed') this.#complete(call, state.result)
      else if (state.state === 'failed') this.#failThrown(call, readFailedReason(state.reason))
      else if (call.isStored) this.#onLost(call)
    }
  }

  #onLost(call: RemoteCall): void {
    const { queue, retries } = this.#options
    if (call.losses++ >= retries)
      return this.#fail(call, new ThreadwiseError('TW_ERR_CALL_LOST', { queue, task: call.task }))
    call.isStored = false
    this.#unsent.push(call)
    this.#sendSoon()
  }

  /** It has waited for as long as it may; but it may have started, of which no message tells. */
  async #withdrawLate(call: RemoteCall, timeout: number): Promise<void> {
    const withdraw = () => this.#store.then((store) => store.withdraw(call.id)).catch(() => false)
    if (!call.isStored || (await withdraw()))
      this.#giveUp(call, new ThreadwiseError('TW_ERR_QUEUE_TIMEOUT', { task: call.task, timeout }), 'failed')
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
    this.#options.observer.ran += call.count
    call.resolve(value)
  }

  #failThrown(call: RemoteCall, thrown: unknown): void {
    if (!this.#settle(call, 'failed')) return
    this.#options.observer.ran += call.count
    call.resolve(rejectLater(() => withCallerStack(thrown, callerStack(call.task))))
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

  /** Neither the store nor a worker need go on with it. */
  #part(call: RemoteCall, reason: unknown): void {
    const parting = this.#store.then(async (store) => {
      const message = { type: 'cancel', id: call.id, reason: failedReason(reason) } as const
      await Promise.all([store.tellWorkers(message), store.withdraw(call.id)])
    })
    const quiet = parting.catch(() => {})
    this.#partings.add(quiet)
    void quiet.then(() => this.#partings.delete(quiet))
  }

  async #askWorkers(): Promise<void> {
    const reply = this.#options.channelOf(this.#id)
    await this.#store.then((store) => store.tellWorkers({ type: 'who', reply })).catch(() => {})
  }

  /** Calls that ask for too much memory of it, for instance. */
  #refused({ task }: RemoteCall, error: unknown): ThreadwiseError {
    const { queue } = this.#options
    const details = { queue, task, problem: `has refused the job (${describe(error)})`, advice: HOW_TO_ADD }
    return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', details, { cause: error })
  }

  #withoutStore({ task }: RemoteCall): ThreadwiseError {
    const { queue, storeTimeout } = this.#options
    const problem = `has given no answer for ${storeTimeout} ms (storeTimeout)${this.#problem && `: ${this.#problem}`}`
    return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', { queue, task, problem, advice: HOW_TO_REACH })
  }

  #withoutWorker({ task }: RemoteCall): ThreadwiseError {
    const { queue, workerTimeout: timeout } = this.#options
    return new ThreadwiseError('TW_ERR_NO_WORKER', { queue, task, timeout })
  }

  async #end(): Promise<void> {
    this.#watch.stop()
    this.#keepAlive.end()
    await inTime(
      Promise.all(this.#partings).then(() => {}),
      PARTING_MS,
    )
    await this.#opened.then((store) => store.close()).catch(() => {})
  }
}
