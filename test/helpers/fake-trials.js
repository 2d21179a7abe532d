// A trial runner with exact task times: answers as the real one would, from a model of the task and seeded noise.
import { ThreadwiseError } from '../../build/errors/errors.js'
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
  /** Standard deviation of the throughput from trial to trial, as a share. */
  noise: 0.01,
  seed: 1,
  /** Overrides the model: calls per second of a cell. */
  throughputOf: undefined,
  /** Cell -> reason why its trial fails. */
  failureOf: () => null,
  /** Larger limits are unavailable. */
  cpus: 64,
  onTrial: () => {},
}

/** `runTrial` for measure(), and `requests`: all that it was asked. */
export function fakeTrials(changes = {}) {
  const task = { ...plainTask, ...changes }
  const random = createRandom(task.seed)
  const requests = []
  const runTrial = async (request, where) => {
    if (where.cpus > task.cpus)
      throw new ThreadwiseError('TW_ERR_LIMIT_UNAVAILABLE', { cpus: where.cpus, reason: 'too many' })
    requests.push({ request, where })
    task.onTrial(request, requests.length)
    return { answer: answerOf(request, task, random), enforcement }
  }
  return { runTrial, requests }
}

/** A machine check that finds what it is told. */
export function fakeMachine(changes = {}) {
  const noise = {
    verdict: 'quiet',
    reasons: [],
    stealPercent: 0,
    otherCpus: 0,
    pressurePercent: 0,
    speedDriftPercent: 0,
  }
  return async () => {
    const calibrationMs = []
    return {
      calibrate: () => void calibrationMs.push(10),
      finish: () => ({ ...noise, calibrationMs, ...changes }),
    }
  }
}

const enforcement = { method: 'none', exact: true, note: 'fake' }

function answerOf(request, task, random) {
  if (request.kind === 'scout') return { kind: 'scout', scout: scoutOf(task) }
  const reason = task.failureOf(request.cell)
  if (reason !== null) return { kind: 'failed', reason }
  return cellTrial(request, task, random)
}

function scoutOf({ cpuUs, waitUs, argumentBytes, resultBytes, uvWork, errorRate, firstError }) {
  const callUs = cpuUs + waitUs
  const cpuShare = cpuUs / callUs
  return { callUs, cpuUs, cpuShare, argumentBytes, resultBytes, uvWork, errorRate, firstError }
}

function cellTrial({ cell, timing }, task, random) {
  const exact = task.throughputOf ? task.throughputOf(cell) : throughput(cell, task)
  const rate = exact * Math.exp(task.noise * normal(random))
  const calls = Math.max(1, Math.round((rate * timing.measureMs) / 1000))
  const failed = Math.round(calls * task.errorRate)
  const seconds = calls / rate
  const main = mainUs(cell, task)
  const isOwnThread = !isPool(cell)
  return {
    kind: 'cell',
    completed: calls - failed,
    failed,
    seconds,
    callsPerSecond: rate,
    firstError: failed > 0 ? task.firstError : null,
    latency: constant((cell.inFlight / rate) * 1e6, calls),
    loopDelay: uniform(isOwnThread ? task.cpuUs / Math.min(1, cell.cpus) : main, 1000),
    cpuSeconds: (calls * (main + (isOwnThread ? 0 : task.cpuUs + task.copyUs))) / 1e6,
    mainCpuSeconds: (calls * main) / 1e6,
    memoryBytes: isOwnThread ? 1e6 : 8e6,
    leakBytes: isOwnThread ? calls * task.leakBytesPerCall : null,
    throttledMs: cell.cpus < 2 ? throttled(cell, seconds) : null,
    startMs: 30,
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

function constant(us, count) {
  const histogram = new Histogram()
  histogram.record(us / 1000, count)
  return histogram.toJSON()
}

function uniform(upToUs, count) {
  const histogram = new Histogram()
  for (let i = 1; i <= count; i++) histogram.record((upToUs * i) / count / 1000)
  return histogram.toJSON()
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
