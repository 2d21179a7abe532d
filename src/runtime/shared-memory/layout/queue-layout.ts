// The request queue of a pool: one piece of shared memory that the main thread fills and every worker empties.
//
//   words:  0 HEAD | 16 TAIL | 32 SPINNER 33 SPIN_US 34 CPUS 35 TASKS_PER_WORKER 36 WORKERS | 48 MAIN_STATE 49 NEXT_POLL_AT 50 HOLDS_BACK |
//           names | SHORT | LOADS | slot slot slot ... | payload bytes
//
//   slot (16 words, a cache line):  0 state   1 call id   2 form, flags, function   3 where its payload begins   4-5 number
//                                   6 bytes of its payload   7 shared buffers: their numbers follow the payload, u32 each
//
//   state = lap << 16 | step          lap: how often the slot was used before, mod 2^15
//
//     FREE(lap) --main writes--> FULL(lap) --worker w--> CLAIMED_BY(lap, w) --w has read it--> FREE(lap + 1)
//                                    \------main withdraws it (cancelled)-------------------->  FREE(lap + 1)
//
// Who writes what: main writes a slot only while it is FREE of its lap, makes it FULL, and then shows it by moving TAIL
// behind it, for several slots at a time: a worker that looked at each slot as it is written would fight with main over its
// cache line (1.5 instead of 1.8 M calls/s). A FULL slot that is shown changes only by one compareExchange on its state,
// which decides between all workers and main who has it. HEAD is the position of
// the first slot that nobody has taken yet, or an earlier one: whoever finds it behind moves it on, so a worker that dies
// between its claim and the step of HEAD stops nobody. The claim itself names the worker: whose tasks die with it is never
// in doubt. See docs/maintainers/transport.md.
//
// It imports nothing, nor does worker-layout.ts: only then does esbuild write the numbers themselves into a worker's file. As names
// they would be variables there, of which each worker pays for the text.

/** Slots; a power of two. */
export const SLOTS = 2048
const SLOT_BITS = 11
export const SLOT_WORDS = 16

export const HEAD = 0
export const TAIL = 16
/** Index of the worker that spins, plus one; 0: none does. */
export const SPINNER = 32
/** Microseconds for which an idle worker looks for work before it sleeps; 0: not at all. */
export const SPIN_US = 33
/** CPUs that the process may use, rounded up; 0: not known yet. */
export const CPUS = 34
/** Calls that may wait on promises at a time in one worker. */
export const TASKS_PER_WORKER = 35
/** Words of LOADS_AT that are in use: one more than the highest number of a worker so far. Written by main. */
export const WORKERS = 36
/** MAIN_ASLEEP while the main thread waits for a message instead of looking at the rings. */
export const MAIN_STATE = 48
export const MAIN_AWAKE = 0
export const MAIN_ASLEEP = 1
/** When main looks by itself, if it sleeps until then: whole milliseconds of the machine's clock, mod 2^32. */
export const NEXT_POLL_AT = 49
/** 1: main has woken fewer workers than there are calls. Whoever stops to take calls must wake main: see waking.ts. */
export const HOLDS_BACK = 50

/** Bytes of arguments that wait to be read; a power of two. The last value may end behind them: none is cut, or begins again. */
export const PAYLOAD_BYTES = 1 << 20
/** Larger arguments travel by message. */
export const MAX_VALUE_BYTES = 64 * 1024

/** Names of functions, written once by main before the first slot that refers to them: length, then UTF-8. */
export const MAX_NAMES = 256
export const NAME_BYTES = 64

export const CONTROL_BYTES = 4 * 64
export const NAMES_AT = CONTROL_BYTES
/** Of each function a word: 1 while its calls are known to be short, and to return no promises. Written by the workers. */
export const SHORT_AT = NAMES_AT + MAX_NAMES * NAME_BYTES
/**
 * Of each worker a word: 0 while it takes no calls (it is not up, has retired, is full, or at a call that may be long), otherwise one more than
 * the calls that wait on promises in it. Written by the worker, and by main (0) when that has ended. Workers beyond have none.
 */
export const LOADS_AT = SHORT_AT + MAX_NAMES * 4
export const LOADS = 1024
export const SLOTS_AT = LOADS_AT + LOADS * 4
export const PAYLOAD_AT = SLOTS_AT + SLOTS * SLOT_WORDS * 4

// Words of a slot.
export const STATE = 0
export const TASK_ID = 1
export const CALL = 2
export const PAYLOAD_FROM = 3
export const PAYLOAD_LENGTH = 6
export const BUFFERS = 7
/** In units of the Float64Array. */
export const NUMBER = 2

// The word CALL: what the arguments are, flags, and which function.
/** Argument lists: a single number, a single value, no value, a list. */
export const ONE_NUMBER = 0
export const ONE_VALUE = 1
export const NO_ARGUMENTS = 2
export const LIST = 3
export const FORM = 3
/** Say when the call starts. */
export const ANNOUNCE = 4
/** The arguments are inputs of as many calls. */
export const EACH = 8
/** Before the arguments stand the values of the caller's contexts. */
export const CONTEXT = 16
/** Say at which time the call starts. */
export const TIMED = 32
export const FUNCTION_SHIFT = 8

const FREE = 0
const FULL = 1
const CLAIMED = 2
const STEP = 0xffff
/** A worker's index must fit into the rest of the step. */
export const MAX_WORKERS = 0x7000

/** Word at which the slot of this position begins. Positions count calls from 0, mod 2^32. */
export function slotWord(position: number): number {
  return (position & (SLOTS - 1)) * SLOT_WORDS
}

function lapOf(position: number): number {
  return ((position >>> SLOT_BITS) & 0x7fff) << 16
}

export function freeFor(position: number): number {
  return lapOf(position) | FREE
}

export function fullAt(position: number): number {
  return lapOf(position) | FULL
}

export function claimedAt(position: number, worker: number): number {
  return lapOf(position) | (CLAIMED + worker)
}

/** What the state becomes when nobody needs the slot of this position any more. */
export function freeAfter(position: number): number {
  return freeFor((position + SLOTS) | 0)
}

/** Whether this state says that some worker holds the slot of this position. */
export function isClaimed(state: number, position: number): boolean {
  return (state & ~STEP) === lapOf(position) && (state & STEP) >= CLAIMED
}

/** Whether this state says that the worker holds the slot. */
export function isClaimedBy(state: number, worker: number): boolean {
  return (state & STEP) === CLAIMED + worker
}
