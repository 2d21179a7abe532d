// What was learned of one function: how long it runs, what its copies and its way to a worker cost, and where it belongs.
//
//   pool   --(run + copies cost the caller's thread no more than the way to a worker)--> inline
//   pool   --(short beside the round trip of a call that nobody else delays)-----------> alone
//   inline, alone --(one call longer than maxBlock, or the costs have changed)---------> pool
//
// Means move exponentially, so what is old is forgotten.

import type { AdaptiveDecision, AdaptivePlace } from '../executor/stats.js'

/** Calls in workers that are timed before one may run in the caller's thread. */
const MIN_SAMPLES = 3
/** Weight of a new sample in the means. */
const WEIGHT = 1 / 16
/**
 * A pause (garbage collection, a preempted thread) looks like a long call: growth is capped. A real change gets through
 * within some calls, and a call beyond maxBlock by itself.
 */
const MAX_GROWTH = 16
const GROWTH_FROM_US = 4
/** Share of calls beyond maxBlock from which a function stays in workers, and below which it may come back. */
const SLOW_WEIGHT = 1 / 64
const SLOW_SHARE = { evict: 0.01, readmit: 0.005 }
/** Microseconds of the caller's thread for a reply, and for its part of waking a worker. */
const REPLY_US = 2
/** Microseconds until the way to a worker was measured, and how often too long one sample may be taken for. */
const HAND_OVER_US = 1
const HAND_OVER_GROWTH = 3
/** Microseconds of the caller's thread for a call that goes by message, without its copies. */
const MESSAGE_US = 10
/** To send a message costs about half of a whole copy: the other half is the worker's. */
const MESSAGE_COPY_SHARE = 0.5
/** Copies leave garbage, whose collection takes about as long again (100 KB: 40 us, and twice that in a loop). */
const COPY_COST = 2
/**
 * Microseconds: four round trips to a worker that sleeps. Up to there a call that is alone ends clearly sooner in the
 * caller's thread; beyond, the round trip hardly counts.
 */
export const ALONE_US = 320
/** Where a function is, it stays until the other place is better by this factor. */
const STAY = 1.25
/** What is known of copies is forgotten with each call in a worker, where they cannot be seen: they are tried again one day. */
const COPY_MEMORY = 0.98

export type PlaceReason = AdaptiveDecision['reason']

export class FunctionModel {
  readonly name: string
  place: AdaptivePlace = 'pool'
  reason: PlaceReason = 'unknown'
  /** Microseconds, means. */
  runUs = 0
  copyUs = 0
  handOverUs = HAND_OVER_US
  /** Calls so far. */
  readonly calls = { inline: 0, pool: 0 }
  readonly #maxBlockUs: number
  #samples = 0
  #copies = 0
  #handOvers = 0
  #slowShare = 0
  #isBlocking = false
  #isAsync = false
  #goesByMessage = false

  constructor(name: string, maxBlockUs: number) {
    this.name = name
    this.#maxBlockUs = maxBlockUs
  }

  /** Microseconds for which a call would keep the caller's thread. */
  get inlineUs(): number {
    return this.runUs + COPY_COST * this.copyUs
  }

  /** A call has run in the caller's thread. `copyUs`: for its arguments. */
  ranInline(runUs: number, copyUs: number): void {
    this.copyUs = learn(this.copyUs, copyUs, ++this.#copies)
    this.#learnRun(runUs)
    this.#noteSlow(runUs)
    this.#decide()
  }

  /** A call has run in a worker, which has told for how long. */
  ranInWorker(runUs: number, wentByMessage: boolean): void {
    this.#goesByMessage = wentByMessage
    this.copyUs *= COPY_MEMORY
    this.#learnRun(runUs)
    this.#noteSlow(runUs)
    this.#decide()
  }

  /** A call has ended in a worker after it has waited on a promise. */
  waitedInWorker(): void {
    if (this.#samples === 0) this.reason = 'asynchronous'
  }

  /** A call has been handed over, which took the caller's thread so long. */
  handedOver(us: number): void {
    if (++this.#handOvers <= MIN_SAMPLES) return
    this.handOverUs += WEIGHT * (Math.min(us, HAND_OVER_GROWTH * this.handOverUs) - this.handOverUs)
  }

  /** It gives promises. What runs when they settle cannot be timed, so it never runs in the caller's thread again. */
  givesPromises(): void {
    this.#isAsync = true
    this.#decide()
  }

  #learnRun(us: number): void {
    this.runUs = learn(this.runUs, us, ++this.#samples)
  }

  #noteSlow(us: number): void {
    const isSlow = us >= this.#maxBlockUs // with 0 all are
    this.#slowShare += SLOW_WEIGHT * ((isSlow ? 1 : 0) - this.#slowShare)
    const limit = this.#isBlocking ? SLOW_SHARE.readmit : SLOW_SHARE.evict
    this.#isBlocking = this.#slowShare > limit
  }

  #decide(): void {
    this.reason = this.#reason()
    this.place = PLACES[this.reason]
  }

  #reason(): PlaceReason {
    if (this.#isAsync) return 'asynchronous'
    if (this.#samples < MIN_SAMPLES) return 'unknown'
    if (this.#isBlocking) return 'blocks'
    const inlineUs = this.inlineUs
    if (inlineUs <= this.poolUs * (this.place === 'inline' ? STAY : 1)) return 'short'
    const most = Math.min(ALONE_US, this.#maxBlockUs)
    return inlineUs <= most * (this.place === 'pool' ? 1 : STAY) ? 'round-trip' : 'long'
  }

  /** Microseconds of the caller's thread for a call in a worker, without waking anybody. Both ways copy the result. */
  get poolUs(): number {
    if (this.#goesByMessage) return MESSAGE_US + MESSAGE_COPY_SHARE * this.copyUs
    return this.handOverUs + REPLY_US
  }
}

/** The mean with a new sample. The first ones come before the code is optimised: of those the least counts. */
function learn(mean: number, us: number, samples: number): number {
  if (samples <= MIN_SAMPLES) return samples === 1 ? us : Math.min(us, mean)
  return mean + WEIGHT * (Math.min(us, MAX_GROWTH * (mean + GROWTH_FROM_US)) - mean)
}

const PLACES: Readonly<Record<PlaceReason, AdaptivePlace>> = {
  unknown: 'pool',
  asynchronous: 'pool',
  blocks: 'pool',
  short: 'inline',
  'round-trip': 'alone',
  long: 'pool',
}

/** Names come from callers, so an endless number of wrong ones may come. */
const MAX_NAMES = 10_000

export type CreateModel = (name: string, maxBlockUs: number) => FunctionModel

/** The models of all functions of a module. */
export class FunctionModels {
  readonly #maxBlockUs: number
  readonly #createModel: CreateModel
  readonly #models = new Map<string, FunctionModel>()

  constructor(maxBlockUs: number, createModel: CreateModel) {
    this.#maxBlockUs = maxBlockUs
    this.#createModel = createModel
  }

  of(name: string): FunctionModel {
    return this.#models.get(name) ?? this.#add(name)
  }

  get all(): readonly FunctionModel[] {
    return [...this.#models.values()]
  }

  #add(name: string): FunctionModel {
    if (this.#models.size >= MAX_NAMES) this.#models.clear() // real ones are soon known again
    const model = this.#createModel(name, this.#maxBlockUs)
    this.#models.set(name, model)
    return model
  }
}
