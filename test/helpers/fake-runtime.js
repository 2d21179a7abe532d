// A runtime without threads or processes: the test decides when each worker comes up, answers and dies.
import { BY_MESSAGE, carry, receive } from '../../build/runtime/wire/codec/packet.js'
import {
  CALL_SIZE,
  ONE_ARGUMENT,
  REPLY_ERROR,
  REPLY_ITEMS,
  REPLY_PROGRESS,
  REPLY_RESULT,
  REPLY_STARTED,
  REPLY_UNSENDABLE,
  REPLY_WAITING,
  SAME_NAME,
} from '../../build/runtime/wire/messages.js'
import { Pool } from '../../build/runtime/pool/pool.js'
import { nextTurn } from './waiting.js'

const module = 'file:///tasks.js'

// The clock stands still within a turn of the event loop. A pool starts no more workers in a turn that has taken long already, and a
// machine that pauses for some milliseconds would decide when a worker of a test starts.
const { bigint } = process.hrtime
const { setImmediate } = globalThis // a test may put its own in its place
let turnBegan
process.hrtime.bigint = () => {
  if (turnBegan === undefined) {
    turnBegan = bigint()
    setImmediate(() => (turnBegan = undefined)).unref()
  }
  return turnBegan
}

/**
 * @param knowsStarted whether the channel can tell how many calls have started, as that of threads can
 * @param endsItself whether a worker ends when it is asked to close
 */
export function fakeRuntime({ knowsStarted = true, endsItself = true } = {}) {
  const workers = []
  const startWorker = ({ id }, events) => {
    const worker = createWorker({ id, events, knowsStarted, endsItself })
    workers.push(worker)
    return worker.face
  }
  return { workers, startWorker }
}

/** Of a Pool; `size` may be a number. */
export function poolOptions({ size = 1, ...options } = {}) {
  const never = Infinity
  const times = {
    startTimeout: never,
    closeTimeout: never,
    idleTimeout: never,
    maxAge: never,
    maxTasks: never,
  }
  const range = typeof size === 'number' ? { min: size, max: size } : size
  return { module, tasksPerWorker: 1024, ...times, ...options, size: range }
}

/** A pool on a fake runtime. `up` brings its workers up; `options` are those of the pool. */
export function fakePool(t, options = {}, runtimeOptions) {
  const { workers, startWorker } = fakeRuntime(runtimeOptions)
  const pool = new Pool(() => ({ startWorker }), poolOptions(options))
  t.after(() => pool.destroy())
  const up = () => workers.forEach((worker) => worker.ready())
  const run = (name, args = [], runOptions) => {
    const call = pool.submit(name, args, runOptions)
    call.catch(() => {}) // a call that the test leaves open is rejected when the test ends
    return call
  }
  return { pool, workers, up, run }
}

/** Teaches the pool that calls of this name are short, so that it sends many of them ahead. */
export async function learnShort({ run, workers }, name) {
  const call = run(name)
  await nextTurn()
  workers.find(({ open }) => open.length > 0).answer(name, 'learnt', 1)
  await call
}

/** 'open', or how the promise has settled, without waiting for it beyond a few turns. */
export async function outcome(promise) {
  let result = 'open'
  promise.then(
    (value) => (result = { value }),
    (error) => (result = { error }),
  )
  for (let i = 0; i < 5 && result === 'open'; i++) await nextTurn()
  return result
}

const carried = (value) => carry(value, { carrier: BY_MESSAGE }).carried
const carriedPart = (kind, value) =>
  kind === REPLY_ITEMS ? value.map(carried) : kind === REPLY_PROGRESS ? carried(value) : value

function createWorker({ id, events, knowsStarted, endsItself }) {
  let hasEnded = false
  const worker = {
    id,
    /** What was sent: batches as lists of call names, other messages by their type. */
    log: [],
    /** Calls that are not answered: { id, name, args, flags }. */
    open: [],
    startedCalls: 0,
    /** Its event loop is blocked: it gives no sign of life. */
    isSilent: false,
    isTerminated: false,
    ready: () => events.onMessage({ type: 'ready' }),
    failStart(error) {
      events.onMessage({ type: 'start-failed', error: carried(error) })
    },
    /** It takes no more messages; die() follows. */
    ends: () => events.onEnding(),
    die(how = 'with exit code 1', cause, more = {}) {
      if (hasEnded) return
      hasEnded = true
      events.onExit({ how, ...(cause !== undefined && { cause }), ...more })
    },
    started: (name) => reply(REPLY_STARTED, find(name), undefined, 0),
    /** Of a call that goes on: items, and whether a synchronous iterator runs. */
    part: (name, kind, value) => reply(kind, find(name), carriedPart(kind, value), 0),
    waits: (name, us = 0) => reply(REPLY_WAITING, find(name), undefined, us),
    answer: (name, value, us = 1) => reply(REPLY_RESULT, take(name), carried(value), us),
    throws: (name, error) => reply(REPLY_ERROR, take(name), carried(error), 1),
    cannotSend: (name, why) => reply(REPLY_UNSENDABLE, take(name), carried({ reason: why, sendable: 0 }), 1),
    /** Answers all open calls with one message, each with its first argument. */
    answerAll(us = 1) {
      const calls = worker.open.splice(0)
      events.onMessage(calls.flatMap((call) => [REPLY_RESULT, call.id, carried(call.args[0]), us]))
    },
  }
  const reply = (kind, call, value, us) => events.onMessage([kind, call.id, value, us])
  function find(name) {
    const call = worker.open.find((other) => other.name === name)
    if (!call) throw new Error(`worker ${id} holds no call ${name}, only ${worker.open.map((c) => c.name)}`)
    return call
  }
  function take(name) {
    const call = find(name)
    worker.open.splice(worker.open.indexOf(call), 1)
    return call
  }
  function send(message, transfer = []) {
    const sent = structuredClone(message, { transfer })
    if (!Array.isArray(sent)) {
      if (sent.type === 'ping') {
        if (!worker.isSilent) queueMicrotask(() => hasEnded || events.onMessage({ type: 'pong' }))
        return
      }
      worker.log.push(sent.type)
      if (sent.type === 'close' && endsItself) queueMicrotask(() => worker.die('with exit code 0'))
      return
    }
    const calls = []
    for (let i = 0; i < sent.length; i += CALL_SIZE) {
      const [id, sentName, sentArgs, flags] = sent.slice(i, i + CALL_SIZE)
      const name = sentName === SAME_NAME ? calls.at(-1).name : sentName
      calls.push({
        id,
        name,
        args: flags & ONE_ARGUMENT ? [receive(sentArgs)] : receive(sentArgs),
        flags: flags & ~ONE_ARGUMENT,
      })
    }
    worker.open.push(...calls)
    worker.log.push(calls.map(({ name }) => name))
  }
  function terminate() {
    worker.isTerminated = true
    queueMicrotask(() => worker.die('by SIGKILL'))
  }
  const channel = {
    send,
    carrier: BY_MESSAGE,
    ...(knowsStarted && { startedCalls: () => worker.startedCalls }),
  }
  worker.face = { channel, terminate }
  return worker
}
