// Jobs whose id is the user's: several callers, of several programs, may wait for one. Whoever goes leaves it to the others; the last one takes it
// back.
//
//   ask others: 'anybody?' --> one answers 'waits' --> left alone
//                         '--> nobody --> withdrawn, or cancelled where it runs, and withdrawn when it has failed
//
// Who asks for the same id meanwhile waits until that is over: his is a new job then.

import { timers } from '../../primitives/timers.js'
import type { ToCaller } from './messages.js'
import type { CallerStore } from './store.js'

/** Milliseconds for a job that was cancelled to end: whoever asks for its id meanwhile in this program waits for that. */
const END_MS = 5000
/** Milliseconds for others to answer. Where all are too busy for it, their call is cancelled with the last one. */
const ANSWER_MS = 500

export interface SharedJobsOptions {
  /** Of this caller. */
  readonly caller: string
  /** Whether a call of this caller waits for it. */
  readonly isWaitedFor: (id: string) => boolean
  readonly store: Promise<CallerStore>
}

export class SharedJobs {
  readonly #options: SharedJobsOptions
  readonly #leaving = new Map<string, Promise<void>>()

  constructor(options: SharedJobsOptions) {
    this.#options = options
  }

  /** Resolves when nothing of that id is being taken back. */
  async settled(id: string): Promise<void> {
    while (this.#leaving.has(id)) await this.#leaving.get(id)
  }

  /** `reason`: as an error of a job is written. */
  leave(id: string, reason: string): Promise<void> {
    const known = this.#leaving.get(id)
    if (known) return known
    const leaving = this.#leave(id, reason)
      .catch(() => {}) // the store is away: the job runs, and nobody waits for it
      .finally(() => this.#leaving.delete(id))
    this.#leaving.set(id, leaving)
    return leaving
  }

  /** Answers those who ask. */
  receive(message: ToCaller): void {
    const { caller, isWaitedFor, store } = this.#options
    if (message.type !== 'anybody' || message.from === caller || !isWaitedFor(message.id)) return
    void store
      .then((open) => open.tell(message.id, { type: 'waits', id: message.id, from: caller }))
      .catch(() => {})
  }

  async #leave(id: string, reason: string): Promise<void> {
    const store = await this.#options.store
    if (await this.#doesAnybodyWait(store, id)) return
    const { state, ...taken } = await store.withdraw(id)
    if (state !== 'taken') return
    const cancel = () => store.tellWorkers({ type: 'cancel', id, reason, ...taken, isLeft: true })
    await heard(store, id, {
      ms: END_MS,
      isIt: ({ type }) => /^(ended|done|failed)$/.test(type),
      ask: cancel,
    })
  }

  #doesAnybodyWait(store: CallerStore, id: string): Promise<boolean> {
    const { caller } = this.#options
    return heard(store, id, {
      ms: ANSWER_MS,
      isIt: (message) => message.type === 'waits' && message.id === id && message.from !== caller,
      ask: () => store.tell(id, { type: 'anybody', id, from: caller }),
    })
  }
}

interface Question {
  readonly ms: number
  readonly isIt: (message: ToCaller) => boolean
  readonly ask: () => Promise<void>
}

/** Whether such a message comes for this id in time. */
async function heard(store: CallerStore, id: string, { ms, isIt, ask }: Question): Promise<boolean> {
  let hear!: (isThere: boolean) => void
  const answer = new Promise<boolean>((resolve) => (hear = resolve))
  const { stop } = await store.listen(id, (message) => {
    if (isIt(message)) hear(true)
  })
  let timer: ReturnType<typeof timers.setTimeout> | undefined
  try {
    await ask()
    timer = timers.setTimeout(() => hear(false), ms)
    return await answer
  } finally {
    timers.clearTimeout(timer)
    stop()
  }
}
