// One container as a queueing model: instances with a main thread, a pool and libuv's threads, that share a CPU quota.
//
//   request ─> an instance ─> main thread ─> libuv, pool, wait ─> main thread ─> answer
//                                 └── all that computes shares the cores equally, and spends the quota together
//
// The quota is that of Linux (CFS bandwidth control): `cpus` x 100 ms of CPU time for each 100 ms. When it is spent, all threads stand still
// until the next period begins. What is left at the end of a period is lost. Between two events nothing changes speed, so the model jumps
// from one event to the next.

import { stepsOf, type Demand, type Job, type StepPlace } from './job.js'
import { createStation, type Station } from './station.js'
import { createWaitList, type WaitList } from './wait-list.js'

/** Length of a period of the quota: the default of Docker, Kubernetes and systemd. */
export const PERIOD_MS = 100
/** UV_THREADPOOL_SIZE. */
const UV_THREADS = 4
/** What a sum of rounded times may lack. */
const DUST_MS = 1e-7

export interface ContainerShape {
  /** The limit. */
  readonly cpus: number
  /** CPUs that its threads can use at once while the quota lasts. */
  readonly cores: number
  readonly instances: number
  /** Of the pool of each instance. */
  readonly threads: number
  /** CPU time of helper threads for each millisecond of the main thread. */
  readonly shadow: number
}

export interface ContainerRun {
  readonly shape: ContainerShape
  /** When the first period of the quota begins, 0 to 100. */
  readonly phaseMs: number
  /** Called when a request is answered. */
  readonly onAnswer: (job: Job, nowMs: number) => void
}

export interface Container {
  /** Nothing is done before that time that is not done yet. Times must not fall. */
  arrive(atMs: number, request: { demand: Demand; route: number; instance: number }): void
  /** Until everything is answered. */
  drain(): void
  readonly sums: Readonly<Sums>
}

/** Milliseconds. */
interface Sums {
  /** CPU time of all threads. */
  cpu: number
  /** Main threads had work, whether they got on with it or not. */
  mainBusy: number
  /** The container stood still with work, since its quota was spent. */
  frozen: number
}

interface Running {
  readonly job: Job
  readonly station: Station
  readonly place: Computing
}

type Computing = Exclude<StepPlace, 'wait'>

interface State {
  readonly run: ContainerRun
  readonly quotaMs: number
  readonly stations: Record<Computing, Station>[]
  readonly waits: WaitList<Job>
  readonly running: Running[]
  readonly sums: Sums
  now: number
  refillAt: number
  /** Of the quota. */
  leftMs: number
  /** Of all that runs. */
  weight: number
}

export function createContainer(run: ContainerRun): Container {
  const { shape, phaseMs } = run
  const quotaMs = shape.cpus >= shape.cores ? Infinity : shape.cpus * PERIOD_MS
  const state: State = {
    run,
    quotaMs,
    leftMs: quotaMs,
    now: 0,
    refillAt: phaseMs,
    weight: 0,
    stations: Array.from({ length: shape.instances }, () => stationsOf(shape)),
    waits: createWaitList<Job>(),
    running: [],
    sums: { cpu: 0, mainBusy: 0, frozen: 0 },
  }
  return {
    sums: state.sums,
    arrive(atMs, { demand, route, instance }) {
      while (state.now < atMs) pass(state, atMs)
      goOn(state, { steps: stepsOf(demand), route, instance, arrivedMs: atMs, at: 0, leftMs: 0 })
    },
    drain() {
      while (state.running.length > 0 || state.waits.next < Infinity) pass(state, Infinity)
    },
  }
}

function stationsOf({ threads, shadow }: ContainerShape): Record<Computing, Station> {
  return {
    main: createStation(1, 1 + shadow),
    pool: createStation(Math.max(1, threads)),
    uv: createStation(UV_THREADS),
  }
}

/** To the next event, at the latest to `until`. */
function pass(state: State, until: number): void {
  const { running, waits, run, quotaMs } = state
  let end = Math.min(until, waits.next)
  if (running.length > 0) {
    const isFrozen = state.leftMs <= DUST_MS
    const speed = isFrozen ? 0 : Math.min(1, run.shape.cores / state.weight)
    if (quotaMs !== Infinity) end = Math.min(end, state.refillAt)
    if (!isFrozen) {
      end = Math.min(end, state.now + state.leftMs / (speed * state.weight))
      for (const { job } of running) end = Math.min(end, state.now + job.leftMs / speed)
    }
    work(state, Math.max(0, end - state.now), speed)
  }
  state.now = Math.max(state.now, end)
  refill(state)
  for (let index = running.length - 1; index >= 0; index--)
    if (running[index]!.job.leftMs <= DUST_MS) finish(state, index)
  while (waits.next <= state.now) next(state, waits.take())
}

function work(state: State, ms: number, speed: number): void {
  const { running, sums, weight } = state
  for (const { job, place } of running) {
    job.leftMs -= speed * ms
    if (place === 'main') sums.mainBusy += ms
  }
  sums.cpu += speed * weight * ms
  if (speed === 0) sums.frozen += ms
  state.leftMs -= speed * weight * ms
}

function refill(state: State): void {
  const late = state.now - state.refillAt + DUST_MS
  if (late < 0) return
  state.refillAt += PERIOD_MS * (1 + Math.floor(late / PERIOD_MS))
  state.leftMs = state.quotaMs
}

function finish(state: State, index: number): void {
  const { running } = state
  const { job, station, place } = running[index]!
  running[index] = running.at(-1)!
  running.pop()
  state.weight = running.length === 0 ? 0 : state.weight - station.weight
  start(state, { job: station.leave(), station, place })
  next(state, job)
}

function start(
  state: State,
  { job, station, place }: { job: Job | null; station: Station; place: Computing },
): void {
  if (job === null) return
  state.running.push({ job, station, place })
  state.weight += station.weight
}

function next(state: State, job: Job): void {
  job.at++
  goOn(state, job)
}

/** Steps that take no time are passed at once. */
function goOn(state: State, job: Job): void {
  while (job.at < job.steps.length && !(job.steps[job.at]!.ms > 0)) job.at++
  const step = job.steps[job.at]
  if (step === undefined) state.run.onAnswer(job, state.now)
  else if (step.place === 'wait') state.waits.add(state.now + step.ms, job)
  else {
    job.leftMs = step.ms
    const { place } = step
    const station = state.stations[job.instance]![place]
    start(state, { job: station.enter(job), station, place })
  }
}
