// The rules by which a pool that directs its calls chooses the worker of each.

import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { didYouMean } from '../../errors/nearest.js'
import { hashOf } from '../../primitives/hash.js'

/** How much a worker has to do. */
export interface WorkerLoad {
  /** Calls that wait for this worker, run in it, or wait on promises in it. */
  readonly open: number
}

/**
 * Gives the number of the worker for a call, from 0.
 *
 * @example
 * const byCustomer = (workers, { args }) => args[0].customerId % workers.length
 */
export type ChooseWorker = (
  workers: readonly WorkerLoad[],
  call: { readonly name: string; readonly args: readonly unknown[] },
) => number

/** Which worker gets a call: by one queue for all (`shared`), by a rule, or by a function of yours. */
export type Balance = 'shared' | 'round-robin' | 'random' | 'least-busy' | ChooseWorker

export type Rule = (lanes: readonly WorkerLoad[], name: string, args: readonly unknown[]) => number

/** The lane of all calls with this key. */
export function laneOf(key: string | number, lanes: number): number {
  return hashOf(String(key)) % lanes
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkBalance(balance: unknown): asserts balance is Balance {
  const names = ['shared', ...Object.keys(rules)]
  const isKnown = typeof balance === 'function' || (typeof balance === 'string' && names.includes(balance))
  const hint = didYouMean(balance, names)
  checkOption(isKnown, 'balance', `one of ${names.join(', ')}, or a function${hint}`, balance)
}

/** A rule of its own for each pool: some remember the worker before. */
export function createRule(balance: Exclude<Balance, 'shared'>): Rule {
  return typeof balance === 'function' ? chosenBy(balance) : rules[balance]()
}

const rules = {
  'round-robin': (): Rule => {
    let last = -1
    return ({ length }) => (last = (last + 1) % length)
  },
  random: (): Rule => {
    return ({ length }) => Math.floor(Math.random() * length)
  },
  'least-busy': (): Rule => {
    let last = -1
    return (lanes) => (last = leastBusy(lanes, last + 1))
  },
}

/** Among equals the first one from `start` on, or all calls that find the pool idle would go to the same worker. */
function leastBusy(lanes: readonly WorkerLoad[], start: number): number {
  let best = start % lanes.length
  for (let i = 1; i < lanes.length; i++) {
    const lane = (start + i) % lanes.length
    if (lanes[lane]!.open < lanes[best]!.open) best = lane
  }
  return best
}

function chosenBy(choose: ChooseWorker): Rule {
  return (lanes, name, args) => {
    const chosen = choose(lanes, { name, args })
    if (Number.isInteger(chosen) && chosen >= 0 && chosen < lanes.length) return chosen
    const expected = `a whole number from 0 to ${lanes.length - 1} from the balance function`
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call: `run("${name}")`, expected, received: chosen })
  }
}

// How the calls that may run in a pool are shared out: among its workers, and, where the pool chooses the worker of each call, among its lanes.

/** Calls that each of so many workers may hold. `own`: what the options say of one worker. */
export function shareOfWorker(concurrency: number, workers: number, own = Infinity): number {
  return Math.min(own, Math.ceil(concurrency / workers))
}

/** What one lane gets. */
export function shareOfLane(concurrency: number, lanes: number, lane: number): number {
  return Math.floor(concurrency / lanes) + (lane < concurrency % lanes ? 1 : 0)
}
