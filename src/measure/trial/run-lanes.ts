// Keeps a number of calls open: each lane makes one call after the other until it is enough.

export interface LaneLoad {
  /** True when calls run in this thread: then the event loop must get its turns, as a server's requests give them. */
  readonly ownThread: boolean
  call(index: number): Promise<unknown>
}

export interface EndedCall {
  readonly lane: number
  /** Times of performance.now(), in ms. */
  readonly began: number
  readonly ended: number
  /** Whether the call threw, and what. */
  readonly isFailed: boolean
  readonly error: unknown
}

export interface LaneOptions {
  readonly open: number
  /** Calls that each lane makes. Default: until it is enough. */
  readonly laps?: number
  /** Told of every call; once it has said that it is enough no further call begins, and those that are open end. */
  readonly isEnough: (call: EndedCall) => boolean
  readonly now?: () => number
}

/** Microtasks alone never let the loop turn: timers and sockets would starve, and the loop delay would say nothing. */
const TURN_AFTER_MS = 0.5

let next = 0

/** Resolves when all its calls have ended. */
export async function runLanes(load: LaneLoad, options: LaneOptions): Promise<void> {
  const { open, laps = Infinity, isEnough, now = () => performance.now() } = options
  let isOver = false
  let lastTurn = now()
  async function runLane(lane: number): Promise<void> {
    for (let lap = 0; lap < laps && !isOver; lap++) {
      const began = now()
      const outcome = await attempt(load)
      const ended = now()
      if (isEnough({ lane, began, ended, ...outcome })) isOver = true
      if (isOver) return
      if (load.ownThread && ended - lastTurn > TURN_AFTER_MS) {
        await turn()
        lastTurn = now()
      }
    }
  }
  await Promise.all(Array.from({ length: open }, (_, lane) => runLane(lane)))
}

async function attempt(load: LaneLoad): Promise<{ isFailed: boolean; error: unknown }> {
  try {
    await load.call(next++)
    return { isFailed: false, error: undefined }
  } catch (error) {
    return { isFailed: true, error }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
