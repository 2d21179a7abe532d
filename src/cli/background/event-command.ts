// A command that is told of trouble, such as one that sends a mail: started once for each kind of trouble, with one line of JSON on its input.
//
//   crash      an instance has ended by itself, or could not start      give-up    the service has ended, since instances did again and again
//   hang       an instance is replaced: it hangs, is not healthy, or    recovery   after one of these, all instances serve again
//              takes no connections
//
// One command runs at a time, and one of a kind within ten seconds: what happens meanwhile is counted, and told in the next.

import { spawn } from 'node:child_process'
import type { ServeEvent, ServiceStatus } from '../../serve/contract/events.js'

type Kind = 'crash' | 'hang' | 'give-up' | 'recovery'

export interface EventCommand {
  onEvent(event: ServeEvent): void
  gaveUp(reason: string): void
}

export interface EventSource {
  readonly name: string
  readonly status: () => ServiceStatus
  readonly say: (text: string) => void
}

interface Told {
  count: number
  text: string
}

/** Of one kind. */
const PAUSE_MS = 10_000
/** A command that takes longer is ended: others wait for it. */
const LIMIT_MS = 30_000
/** After trouble a service counts as well when it has served for so long. */
const SETTLE_MS = 1000

export class EventRunner implements EventCommand {
  readonly #words: readonly string[]
  readonly #source: EventSource
  readonly #waiting = new Map<Kind, Told>()
  readonly #lastAt = new Map<Kind, number>()
  #isRunning = false
  #isInTrouble = false
  #timer: NodeJS.Timeout | undefined

  constructor(words: readonly string[], source: EventSource) {
    this.#words = words
    this.#source = source
  }

  onEvent(event: ServeEvent): void {
    const who = 'pid' in event ? `instance ${event.instance} (process ${event.pid})` : ''
    if (event.type === 'gone' && !event.wasWanted) this.#add('crash', `${who} ended ${event.how}`)
    if (event.type === 'replacing' && this.#source.status().state === 'starting')
      this.#add('crash', this.#source.status().lastProblem ?? 'it does not start')
    if (event.type === 'renewing' && ['hangTimeout', 'health', 'listening'].includes(event.limit))
      this.#add('hang', `${who}: ${event.found} (${event.limit})`)
    if (event.type === 'ready' && this.#isInTrouble)
      setTimeout(() => this.#lookForRecovery(), SETTLE_MS).unref()
  }

  gaveUp(reason: string): void {
    this.#add('give-up', reason)
  }

  #lookForRecovery(): void {
    const { instances, wanted } = this.#source.status()
    const serving = instances.filter(({ state }) => state === 'serving').length
    if (!this.#isInTrouble || serving < wanted) return
    this.#isInTrouble = false
    this.#add('recovery', `${serving} of ${wanted} instances serve`)
  }

  #add(kind: Kind, text: string): void {
    if (kind !== 'recovery') this.#isInTrouble = true
    const before = this.#waiting.get(kind)
    this.#waiting.set(kind, { count: (before?.count ?? 0) + 1, text })
    this.#next()
  }

  #next(): void {
    clearTimeout(this.#timer)
    if (this.#isRunning || this.#waiting.size === 0) return
    const dueAt = (kind: Kind) => (this.#lastAt.get(kind) ?? -Infinity) + PAUSE_MS
    const now = performance.now()
    const [kind] = [...this.#waiting.keys()].sort((a, b) => dueAt(a) - dueAt(b)) as [Kind]
    // Not unref: a service that has given up ends when that is told.
    if (dueAt(kind) > now)
      return void (this.#timer = setTimeout(() => this.#next(), dueAt(kind) - now).unref())
    const told = this.#waiting.get(kind)!
    this.#waiting.delete(kind)
    this.#lastAt.set(kind, now)
    this.#run(kind, told)
  }

  #run(kind: Kind, { count, text }: Told): void {
    const { name, status, say } = this.#source
    const { state, file } = status()
    const about = {
      version: 1,
      event: kind,
      service: name,
      at: new Date().toISOString(),
      state,
      file,
      text,
      count,
    }
    const [program = '', ...args] = this.#words
    this.#isRunning = true
    const done = (problem?: string) => {
      if (!this.#isRunning) return
      this.#isRunning = false
      if (problem !== undefined) say(`the command of --on-event ${problem}`)
      this.#next()
    }
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    })
    child.on('error', ({ message }) => done(`could not be started: ${message}`))
    child.on('exit', (code, signal) => {
      done(code === 0 ? undefined : `ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}`)
    })
    child.stdin?.on('error', () => {}) // it does not read it
    child.stdin?.end(`${JSON.stringify(about)}\n`)
  }
}
