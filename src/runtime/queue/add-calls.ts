// Hands calls to the store until it has them, each once: an add without an answer is asked for, and sent again only where it is not found.
//
//   add --> added ---------------------------------------------> stored
//    |----> known, late: sent once: made anew, added again; in doubt: stored, and a look tells what became of it
//    |----> broken off, refused for now: look --> found -------> stored
//    |                                     '----> missing -----> add, after a pause
//    '----> refused: look --> found --> stored; missing --> refused

import { timers } from '../../primitives/timers.js'
import type { RemoteCall } from './remote-call.js'
import type { Added, CallerStore, JobState, StoreErrors } from './store.js'

const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1000

export interface AddEvents {
  /** The store has them, or has had them. */
  readonly onStored: (calls: readonly RemoteCall[]) => void
  /** It will not have it. */
  readonly onRefused: (call: RemoteCall, error: unknown) => void
  readonly onState: (call: RemoteCall, state: JobState) => void
  /** It refuses for now, and is asked again. */
  readonly onRefusal: (error: unknown) => void
  /** No more is sent. */
  readonly isOver: () => boolean
  readonly storeErrors: StoreErrors
}

export async function addCalls(
  store: CallerStore,
  given: readonly RemoteCall[],
  events: AddEvents,
): Promise<void> {
  let calls = given
  for (let attempt = 0; ; attempt++) {
    calls = calls.filter(({ isSettled }) => !isSettled)
    if (calls.length === 0 || events.isOver()) return
    calls = await addOnce(store, calls, events)
    if (calls.length > 0) await pauseBeforeRetry(attempt)
  }
}

/** Those that are to be added again. */
async function addOnce(
  store: CallerStore,
  calls: readonly RemoteCall[],
  events: AddEvents,
): Promise<readonly RemoteCall[]> {
  const { breaks } = store
  for (const call of calls) call.made ||= store.now()
  let added: readonly Added[]
  try {
    added = await store.add(calls)
  } catch (error) {
    for (const call of calls) call.isInDoubt = true
    return askFor(store, calls, { ...events, error })
  }
  if (store.breaks !== breaks) for (const call of calls) call.isInDoubt = true
  const again = calls.filter((call, i) => added[i] !== 'added' && !call.isInDoubt)
  events.onStored(calls.filter((call) => !again.includes(call)))
  if (again.length === 0) return again
  for (const call of again) call.made = 0
  await store.readClock() // by ours it was made too early
  return again
}

async function askFor(
  store: CallerStore,
  calls: readonly RemoteCall[],
  { onStored, onState, onRefused, onRefusal, storeErrors, error }: AddEvents & { readonly error: unknown },
): Promise<readonly RemoteCall[]> {
  let states: readonly JobState[]
  try {
    states = await store.look(calls.map(({ id }) => id))
  } catch {
    states = calls.map(() => ({ state: 'missing' }))
  }
  const isFound = (i: number) => states[i]!.state !== 'missing' && states[i]!.state !== 'withdrawn'
  onStored(calls.filter((_, i) => isFound(i)))
  calls.forEach((call, i) => isFound(i) && onState(call, states[i]!))
  const missing = calls.filter((_, i) => !isFound(i))
  const why = storeErrors.whyRefused(error)
  if (why !== undefined) onRefusal(error) // memory that is full stays so for a while: that is told at once
  if (why === 'for now' || (why === undefined && storeErrors.isBrokenOff(error))) return missing
  for (const call of missing) onRefused(call, error)
  return []
}

/** Longer after each attempt. What waits keeps nobody from ending. */
export function pauseBeforeRetry(attempt: number): Promise<void> {
  const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
  return new Promise((resolve) => timers.setTimeout(resolve, ms).unref())
}
