// The main thread's side: offers calls to all workers at once, reads their replies, and wakes whom it must.
//
//   offer --> slot ... microtask: wake sleeping workers for the calls that no awake one will take
//   poll  <-- rings    in setImmediate, while replies come (main-sleep.ts); then asleep, until a worker posts a message
//
// See docs/maintainers/transport.md for why no wake-up is lost on either side.

import { types } from 'node:util'
import { nextTurn, soon } from '../../../primitives/timers.js'
import { createQueueMemory, queueViews, type QueueViews } from '../layout/queue-memory.js'
import * as layout from '../layout/queue-layout.js'
import type { Carriage } from '../../wire/codec/packet.js'
import { FULL, QueueProducer, UNFIT } from './queue-producer.js'
import type { WorkerInit } from '../layout/worker-init.js'
import { CallTable, slotFlagsOf, type QueuedCall } from './call-table.js'
import { SharedBufferRegistry } from './shared-buffer-registry.js'
import { wakeAll, wakeFor, WakeLimit } from './waking.js'
import { machineNow } from '../../wire/machine-clock.js'
import { FallbackPoll, SpinPolicy } from './main-sleep.js'
import { WorkerEndpoint, type EndpointEvents } from './worker-endpoint.js'

/** While a caller makes many calls in one go, the workers start after this many. */
const WAKE_AFTER_CALLS = 16

/** 'taken': a worker will run it. 'full': not now. 'unfit': it can only go by message. */
export type OfferAnswer = 'taken' | 'full' | 'unfit'

export class SharedQueue<Call extends QueuedCall> {
  /** Called after replies were read: there may be room for further calls. */
  onRoom: () => void = () => {}
  readonly #workerCount: number
  readonly #memory = createQueueMemory()
  readonly #views: QueueViews = queueViews(this.#memory)
  readonly #buffers = new SharedBufferRegistry({
    canBeNotified: () => this.#workers.every((endpoint) => endpoint.canBeNotified),
    notify: (update) => this.#workers.forEach((endpoint) => endpoint.notify(update)),
  })
  readonly #producer = new QueueProducer(this.#views, this.#buffers)
  readonly #calls = new CallTable<Call>((call) => this.#buffers.release(call))
  readonly #names = new Map<string, number>()
  /** Most calls are of the function that was called before: a look-up costs 4 % of a no-op. */
  #lastName: string | undefined
  #lastIndex: number | undefined
  #workers: readonly WorkerEndpoint<Call>[] = []
  #unannounced = 0
  #isFlushPlanned = false
  #isOffering = false
  #isPolling = false
  readonly #limit = new WakeLimit<WorkerEndpoint<Call>>(this.#views, (worker) => {
    const index = this.#names.get(worker.currentCall?.name ?? '')
    if (index !== undefined) Atomics.store(this.#views.short, index, 0)
  })
  readonly #spin = new SpinPolicy(() => this.#hasReplies())
  readonly #fallbackPoll = new FallbackPoll(
    () => this.#look(),
    (at) => Atomics.store(this.#views.control, layout.NEXT_POLL_AT, at | 0),
  )

  constructor(workers: number, tasksPerWorker: number) {
    this.#workerCount = workers
    this.allow(tasksPerWorker)
  }

  allow(tasksPerWorker: number): void {
    Atomics.store(this.#views.control, layout.TASKS_PER_WORKER, Math.min(tasksPerWorker, 2 ** 31 - 1))
    wakeAll(this.#workers) // some may have held as many as they were allowed
  }

  /** CPUs that the process may use. Until it is told, the workers are taken to need all of them. */
  setCpus(cpus: number): void {
    Atomics.store(this.#views.control, layout.CPUS, Math.ceil(cpus))
    this.#updateLimit(Math.ceil(cpus))
  }

  /** Microseconds for which an idle worker looks for work, and the main thread for replies, before they sleep. Default 0. */
  spinFor(us: { readonly worker: number; readonly main: number }): void {
    Atomics.store(this.#views.control, layout.SPIN_US, us.worker)
    this.#spin.spinUs = us.main
  }

  /** Some may be unclaimed: quicker to tell than how many. */
  get hasCalls(): boolean {
    return this.#producer.waiting > 0
  }

  /** Calls that no worker has claimed. */
  get waiting(): number {
    return this.#calls.open === 0 ? 0 : this.#producer.unclaimed
  }

  offer(call: Call): OfferAnswer {
    if (call.written !== undefined && !keptBytesOf(call)) return 'unfit' // it found no worker before, and is written already
    if (this.#isOffering) return 'unfit' // a getter among the arguments of the call that is being written makes calls
    this.#isOffering = true
    try {
      return this.#offer(call)
    } finally {
      this.#isOffering = false
    }
  }

  #offer(call: Call): OfferAnswer {
    const index = this.#indexOf(call.name)
    if (index === undefined) return 'unfit'
    if (this.#calls.isFull) return 'full'
    const id = this.#calls.nextId()
    const header = (index << layout.FUNCTION_SHIFT) | slotFlagsOf(call)
    this.#buffers.begin()
    const form = this.#write(call)
    if (form < 0) {
      if (form === FULL) this.#announce()
      return form === FULL ? 'full' : 'unfit'
    }
    if (!this.#buffers.accept(call)) return 'unfit'
    call.written = undefined
    call.position = this.#producer.put(id, header | form)
    this.#calls.set(id, call)
    this.#buffers.commit(call)
    if (this.#limit.isOn) this.#limit.note(call.position, index, call.written !== undefined)
    if (++this.#unannounced >= WAKE_AFTER_CALLS) this.#announce()
    this.#flushLater()
    return 'taken'
  }

  /** What the writer refuses goes by message, where its caller learns why. Nothing is written twice. */
  #write(call: Call): number {
    try {
      const form = this.#producer.write(call.args, call.options.isEach, keptBytesOf(call))
      if (form < 0) call.written = this.#producer.carriage ?? call.written
      return form
    } catch (error) {
      call.written = error as Error
      return UNFIT
    } finally {
      this.#producer.carriage = undefined
    }
  }

  /** Shows the workers what was offered. Otherwise that is done in a microtask, for all calls of it together. */
  sendNow(): void {
    this.#announce()
  }

  /** Takes a call back, if it is here. False: a worker has it, or had it. */
  withdraw(call: Call): boolean {
    if (call.id < 0) return true
    if (!this.#producer.withdraw(call.position)) return false
    this.#calls.remove(call)
    return true
  }

  /** Takes back all calls that no worker has claimed, in their order. */
  takeBack(): Call[] {
    const waiting = [...this.#calls.all()].sort((a, b) => (a.position - b.position) << 1) // they have 31 bits
    return waiting.filter((call) => this.withdraw(call))
  }

  /** Takes back what it can. Gives all calls that are open here, and those that have started. */
  giveUp(): { calls: Call[]; started: Call[] } {
    const calls = [...this.#calls.all()]
    return { calls, started: calls.filter((call) => !this.withdraw(call)) }
  }

  /** Drops a call whose worker is gone. */
  forget(call: Call): void {
    this.#calls.remove(call)
  }

  /** A place for a worker that is to start. */
  createEndpoint(events: EndpointEvents<Call>): WorkerEndpoint<Call> {
    const taken = new Set(this.#workers.map(({ index }) => index))
    let index = 0
    while (taken.has(index)) index++
    const { control, loads } = this.#views
    if (index >= Atomics.load(control, layout.WORKERS)) Atomics.store(control, layout.WORKERS, index + 1)
    return new WorkerEndpoint<Call>({ index, loads }, this.#calls, events)
  }

  /** Its worker has started. */
  addWorker(endpoint: WorkerEndpoint<Call>): void {
    this.#workers = [...this.#workers, endpoint]
    this.#updateLimit()
  }

  initFor(endpoint: WorkerEndpoint<Call>): WorkerInit {
    return {
      queue: this.#memory,
      own: endpoint.memory,
      index: endpoint.index,
      workers: this.#workerCount,
      buffers: this.#buffers.all,
    }
  }

  /**
   * The worker has exited: reads its last replies, frees what it held, and gives its tasks that are still open. It may
   * have been the one that was to wake the main thread, so that looks again too.
   */
  removeWorker(endpoint: WorkerEndpoint<Call>): { call: Call; mayHaveStarted: boolean }[] {
    endpoint.drainLast()
    endpoint.clearLoad()
    this.#workers = this.#workers.filter((other) => other !== endpoint)
    this.#updateLimit()
    const lost = this.#producer
      .release(endpoint.index)
      .map(({ id }) => ({ call: this.#calls.get(id), mayHaveStarted: endpoint.currentId === id }))
    const current = endpoint.currentCall
    const isListed = lost.some(({ call }) => call === current)
    if (!isListed) lost.push({ call: current, mayHaveStarted: true })
    const untraced = endpoint.isBroken ? this.#untraced() : []
    this.wake() // what the others have written is read
    for (const call of untraced)
      if (call.id >= 0 && !call.placement && call !== current) lost.push({ call, mayHaveStarted: true })
    this.#flushLater()
    return lost.filter((each): each is { call: Call; mayHaveStarted: boolean } => each.call !== undefined)
  }

  /**
   * Calls that have left the queue and that no worker is at. One that has left it has been named by its worker before, and whoever names another
   * one has written what became of it: once all rings are read, those that are still open were answered by what could not be read.
   */
  #untraced(): Call[] {
    const left = [...this.#calls.all()].filter(({ position }) => this.#producer.hasLeft(position))
    return left.filter(({ id }) => this.#workers.every((endpoint) => endpoint.currentId !== id))
  }

  /** A message was sent to a worker that was to take calls from the queue. */
  onMessage(): void {
    if (this.#limit.isHoldingBack) this.#flushLater()
  }

  /** A worker has retired: it may have been the one that was woken for a call. */
  onRetired(): void {
    this.#announce()
  }

  /** A worker says that there are replies. */
  wake(): void {
    Atomics.store(this.#views.control, layout.MAIN_STATE, layout.MAIN_AWAKE)
    if (this.#drain() > 0) this.onRoom()
    this.#startPolling()
  }

  #indexOf(name: string): number | undefined {
    if (name === this.#lastName) return this.#lastIndex
    const index = this.#names.get(name) ?? this.#register(name)
    this.#lastName = name
    this.#lastIndex = index
    return index
  }

  /** Undefined: there is no room for this name, so calls of it go by message. */
  #register(name: string): number | undefined {
    if (this.#names.size >= layout.MAX_NAMES) return undefined
    const text = Buffer.from(name, 'utf8')
    if (text.length >= layout.NAME_BYTES || !name.isWellFormed()) return undefined
    const index = this.#names.size
    this.#views.names[index * layout.NAME_BYTES] = text.length
    this.#views.names.set(text, index * layout.NAME_BYTES + 1)
    this.#names.set(name, index)
    return index
  }

  #flushLater(): void {
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    soon(this.#flush)
  }

  #flush = (): void => {
    this.#isFlushPlanned = false
    const calls = this.#unannounced
    const woken = this.#announce()
    const isLooking = this.#spin.begin(calls > 0 && woken >= calls, this.#isCpuFree())
    if (this.#isPolling || isLooking || !this.#fallAsleep()) this.#startPolling()
  }

  /** Shows the new calls, and wakes as many sleeping workers as there are calls that no spinning one will take. Returns how many. */
  #announce(): number {
    this.#unannounced = 0
    this.#producer.publish()
    const { waiting, tail } = this.#producer
    if (!this.#limit.isOn) return wakeFor(waiting, this.#workers)
    const head = (tail - waiting) | 0
    return wakeFor(this.#limit.needed(head, waiting, this.#workers, machineNow()), this.#workers)
  }

  #startPolling(): void {
    if (this.#isPolling || this.#calls.open === 0) return
    this.#isPolling = true
    this.#spin.restart()
    nextTurn(this.#poll)
  }

  #poll = (): void => {
    const hasRead = this.#drain() > 0
    if (this.#limit.isHoldingBack) this.#announce()
    if (hasRead) {
      this.#spin.onReplies()
      this.onRoom()
    }
    const isLooking = hasRead || this.#spin.goesOn(this.#isCpuFree())
    this.#isPolling = this.#calls.open > 0 && (isLooking || !this.#fallAsleep())
    if (this.#isPolling) nextTurn(this.#poll)
  }

  /** False: main does not sleep, or not any more, or nothing is open. */
  #look(): boolean {
    if (this.#isPolling || this.#calls.open === 0) return false
    if (this.#limit.isHoldingBack) this.#announce()
    else if (this.#producer.waiting > 0) wakeAll(this.#workers)
    if (!this.#hasReplies()) return true
    this.wake()
    return false
  }

  /** There are others, or it is known how many may run at a time. */
  #updateLimit(cpus?: number): void {
    if (!this.#limit.update(this.#workers.length, cpus)) return
    for (const worker of this.#workers) worker.goOn()
    wakeAll(this.#workers)
  }

  #drain(): number {
    let replies = 0
    for (let i = 0; i < this.#workers.length; i++) replies += this.#workers[i]!.drain()
    return replies
  }

  /** Fewer calls than workers that run at a time: looking costs none of them anything. */
  #isCpuFree(): boolean {
    return this.#calls.open < this.#limit.cpusFor(this.#workers.length)
  }

  #hasReplies(): boolean {
    for (let i = 0; i < this.#workers.length; i++) if (!this.#workers[i]!.isEmpty) return true
    return false
  }

  /** False: replies have come after all. */
  #fallAsleep(): boolean {
    const { control } = this.#views
    Atomics.store(control, layout.MAIN_STATE, layout.MAIN_ASLEEP)
    if (this.#limit.isHoldingBack) this.#announce()
    if (!this.#hasReplies()) {
      if (this.#workers.some(({ isUp }) => isUp)) this.#fallbackPoll.plan() // if none is, the first that comes up wakes main
      return true
    }
    // If a worker was faster its message is under way too, and only makes one look more.
    Atomics.compareExchange(control, layout.MAIN_STATE, layout.MAIN_ASLEEP, layout.MAIN_AWAKE)
    return false
  }
}

/** Of a call that had no room before: its arguments, as the queue holds them. Longer ones can only go by message. */
function keptBytesOf({ written }: QueuedCall): Uint8Array | undefined {
  if (written === undefined) return undefined
  const { carried } = written as Partial<Carriage>
  return types.isUint8Array(carried) && carried.length <= layout.MAX_VALUE_BYTES ? carried : undefined
}
