// Trials with exact task times: they answer as real ones would, from a model of the task and seeded noise.
import { ThreadwiseError } from '../../build/errors/errors.js'
import { loadWorkload } from '../../build/measure/trial/workload.js'
import { Histogram } from '../../build/primitives/histogram.js'
import { createRandom } from '../../build/measure/stats/random.js'

/** libuv's threads when UV_THREADPOOL_SIZE is not set. */
const DEFAULT_UV = 4

const plainTask = {
  /** Microseconds of CPU, and of waiting, of one call. */
  cpuUs: 5000,
  waitUs: 0,
  /** CPU of the main thread for handing a call over, and of either side for copying its data. */
  handOverUs: 15,
  copyUs: 0,
  argumentBytes: 100,
  resultBytes: 100,
  /** Kinds of work for libuv's pool; then `waitUs` is time in that pool. */
  uvWork: [],
  errorRate: 0,
  firstError: null,
  leakBytesPerCall: 0,
  /** Standard deviation of the throughput from window to window, as a share. */
  noise: 0.01,
  seed: 1,
  /** Overrides the model: calls per second of a cell. */
  throughputOf: undefined,
  /** Cell -> reason why its trial does not start. */
  failureOf: () => null,
  /** Larger limits are unavailable. */
  cpus: 64,
  /** Told of each question: its kind, its number, and the clock. */
  onAsk: () => {},
}

/**
 * What measure() takes from outside: trials that answer at once from the model, and a clock that they move on. `asked`: all that they
 * were asked, each with its cell; `open`: how many live now.
 */
export function fakeSurroundings(changes = {}, noise = {}) {
  const task = { ...plainTask, ...changes }
  const random = createRandom(task.seed)
  const asked = []
  const clock = { ms: 1000 }
  const state = { open: 0 }
  const startTrial = async ({ cpus, uv }) => {
    if (cpus > task.cpus) throw new ThreadwiseError('TW_ERR_LIMIT_UNAVAILABLE', { cpus, reason: 'too many' })
    state.open++
    return fakeTrial({ task, random, asked, clock, uv, onKill: () => state.open-- })
  }
  const surroundings = {
    startTrial,
    now: () => clock.ms,
    machineCpu: () => null,
    availableMemory: () => ({ free: 1e12, own: 1e8 }),
    isWithinQuota: false,
    cpus: 2,
    startMachineCheck: fakeMachine(noise),
  }
  return { surroundings, asked, clock, stillOpen: () => state.open }
}

/** A machine check that finds what it is told. */
export function fakeMachine(changes = {}) {
  const noise = {
    verdict: 'quiet',
    reasons: [],
    stealPercent: 0,
    otherCpus: 0,
    disturbedPercent: 0,
    pressurePercent: 0,
  }
  return async () => ({ finish: () => ({ ...noise, ...changes }) })
}

const enforcement = { method: 'none', exact: true, note: 'fake' }

/** One process of a cell. */
function fakeTrial({ task, random, asked, clock, uv, onKill }) {
  let cell
  let isOpen = true
  const usage = { calls: 0, seconds: 0, latency: new Histogram(), loopDelay: new Histogram() }
  const answers = {
    async describe({ source }) {
      const { module, variants } = await loadWorkload(source)
      return { module, variants }
    },
    scout: () => scoutOf(task),
    start(question) {
      cell = question.cell
      const failed = task.failureOf(cell)
      return failed === null ? { startMs: 30 } : { failed }
    },
    warmUp: ({ ms }) => {
      clock.ms += ms / 8 // they warm up side by side
      return { calls: 1000, callUs: task.cpuUs + task.waitUs, cpuUs: task.cpuUs }
    },
    findPeriod: () => ({ phase: null }),
    window({ plan }) {
      const wallMs = plan.kind === 'laps' ? (task.cpuUs + task.waitUs) / 1000 : plan.leadMs + plan.countMs
      clock.ms += wallMs
      const exact = task.throughputOf ? task.throughputOf(cell) : throughput(cell, task)
      const rate = exact * Math.exp(task.noise * normal(random))
      use(usage, { cell, task, rate, wallMs })
      return { rate: rate * (1 - task.errorRate), wallMs, cpuMs: 0, idleCpuMs: 0, isFull: false }
    },
    profile(question) {
      answers.window(question)
      return { memoryBytes: isPool(cell) ? 8e6 : 1e6, usage: toUsage(usage, cell, task) }
    },
    due: ({ rate, ms }) => {
      clock.ms += ms
      const latency = new Histogram()
      latency.record((task.cpuUs + task.waitUs) / 1000, Math.floor((rate * ms) / 1000))
      return { latency: latency.toJSON(), failed: 0 }
    },
    report: () => toUsage(usage, cell, task),
    burst: ({ calls, bursts }) => ({
      kind: 'burst',
      endsMs: Array.from({ length: bursts }, () => Array(calls).fill(1)),
    }),
    memory: () => ({ kind: 'memory', rssBytes: 1, privateBytes: 1, virtualBytes: 1 }),
  }
  return {
    enforcement,
    hasQuota: false,
    async ask(kind, question) {
      asked.push({ kind, ...question, cell: question.cell ?? cell, uv })
      task.onAsk(kind, asked.length, clock)
      return answers[kind](question)
    },
    liftLimit() {},
    restoreLimit() {},
    pause() {},
    resume() {},
    async kill() {
      if (isOpen) onKill()
      isOpen = false
    },
  }
}

function use(usage, { cell, task, rate, wallMs }) {
  const calls = Math.max(1, Math.round((rate * wallMs) / 1000))
  usage.calls += calls
  usage.seconds += wallMs / 1000
  usage.latency.record((cell.inFlight / rate) * 1e3, calls)
  const ticks = Math.ceil(wallMs)
  const mostUs = isPool(cell) ? mainUs(cell, task) : task.cpuUs / Math.min(1, cell.cpus)
  for (let i = 1; i <= ticks; i++) usage.loopDelay.record((mostUs * i) / ticks / 1000)
}

function toUsage({ calls, seconds, latency, loopDelay }, cell, task) {
  const failed = Math.round(calls * task.errorRate)
  const main = mainUs(cell, task)
  return {
    calls,
    failed,
    firstError: failed > 0 ? task.firstError : null,
    latency: latency.toJSON(),
    loopDelay: loopDelay.toJSON(),
    seconds,
    throttledMs: cell.cpus < 2 ? throttled(cell, seconds) : null,
    cpuSeconds: (calls * (main + (isPool(cell) ? task.cpuUs + task.copyUs : 0))) / 1e6,
    mainCpuSeconds: (calls * main) / 1e6,
    leak: isPool(cell) ? null : { bytes: calls * task.leakBytesPerCall, calls },
  }
}

function scoutOf({ cpuUs, waitUs, argumentBytes, resultBytes, uvWork, errorRate, firstError }) {
  const callUs = cpuUs + waitUs
  const cpuShare = cpuUs / callUs
  return {
    callUs,
    cpuUs,
    cpuShare,
    argumentBytes,
    resultBytes,
    uvWork,
    errorRate,
    firstError,
    changesInput: false,
    isLazy: false,
  }
}

/** Calls per second by the laws of operational analysis (measuring.md 3.3): no part works more than all of the time. */
function throughput(cell, task) {
  const { cpus, size, inFlight } = cell
  const { cpuUs, waitUs, copyUs, uvWork } = task
  const oneThread = Math.min(1, cpus)
  if (cell.executor === 'inline' && inFlight === 1) return 1e6 / (cpuUs / oneThread + waitUs)
  const main = mainUs(cell, task)
  const worker = isPool(cell) ? cpuUs + copyUs : 0
  const bounds = [
    oneThread / main,
    cpus / (main + worker),
    inFlight / (main + worker + waitUs),
    ...(worker > 0 ? [size / worker] : []),
    ...(uvWork.length > 0 ? [(cell.uv ?? DEFAULT_UV) / waitUs] : []),
  ]
  return 1e6 * Math.min(...bounds)
}

/** Processes take three times as long to reach as threads. */
function mainUs(cell, { cpuUs, handOverUs, copyUs }) {
  if (!isPool(cell)) return cpuUs
  return (cell.executor === 'processes' ? 3 : 1) * handOverUs + copyUs
}

/** Frozen time as the kernel adds it up: that of each CPU's run queue (measuring.md 3.2). */
function throttled({ executor, size, cpus }, seconds) {
  const busy = Math.min(2, executor === 'threads' || executor === 'processes' ? size : 1)
  return Math.max(0, 1 - cpus / busy) * busy * seconds * 1000
}

function isPool({ executor }) {
  return executor === 'threads' || executor === 'processes'
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
