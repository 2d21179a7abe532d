// Builders for the data that advice and prediction read: the defaults are an ordinary quiet run, a test names what differs.

/** A cell; ratio is [value, low, high] or just the value, with 2 % to either side. */
export function cell(changes = {}) {
  const { ratio = 1, perSecond, cpuSeconds = null, mainCpuSeconds = null, loopMs = null, ...rest } = changes
  const [value, low, high] = Array.isArray(ratio) ? ratio : [ratio, ratio * 0.98, ratio * 1.02]
  const median = perSecond ?? value * 100
  return {
    variant: 'love',
    executor: 'inline',
    size: 1,
    cpus: 2,
    uv: null,
    inFlight: 4,
    enforcement: { method: 'none', exact: true, note: '' },
    windows: 80,
    processes: 2,
    throughput: { median, low: median * 0.97, high: median * 1.03 },
    ratio: { value, low, high },
    samples: Array.from({ length: 8 }, () => median),
    standardError: Math.log(high / low) / 4.5,
    noGain: false,
    band: 0.05,
    verdict: verdictOf({ low, high }),
    latency: { p50: 10, p99: 20, count: 2000 },
    atRate: null,
    loopDelay: { p50: loopMs, p99: loopMs },
    memoryBytes: null,
    leakBytesPerCall: null,
    cpuSecondsPerTask: cpuSeconds,
    mainCpuSecondsPerTask: mainCpuSeconds,
    throttled: null,
    startMs: 30,
    errorRate: 0,
    firstError: null,
    failed: null,
    ...rest,
  }
}

export const inline = (changes) => cell({ ratio: [1, 1, 1], ...changes })
export const concurrent = (size, changes) => cell({ executor: 'concurrent', size, ...changes })
export const threads = (size, changes) => cell({ executor: 'threads', size, ...changes })
export const bullmq = (size, changes) => cell({ executor: 'bullmq', size, ...changes })
export const processes = (size, changes) => cell({ executor: 'processes', size, ...changes })

/** A call of 10 ms that only computes. */
export function scout(changes = {}) {
  const { callUs = 10_000, cpuUs = callUs } = changes
  return {
    callUs,
    cpuUs,
    cpuShare: cpuUs / callUs,
    argumentBytes: 100,
    resultBytes: 2000,
    uvWork: [],
    errorRate: 0,
    firstError: null,
    changesInput: false,
    isLazy: false,
    ...changes,
  }
}

export function settings(changes = {}) {
  return {
    quick: false,
    precision: 0.1,
    worth: 1.2,
    goal: { kind: 'throughput' },
    budgetSeconds: 60,
    seed: 1,
    command: 'threadwise measure love.js',
    ...changes,
  }
}

export function noiseFacts(changes = {}) {
  return {
    verdict: 'quiet',
    reasons: [],
    stealPercent: 0,
    otherCpus: 0,
    disturbedPercent: 0,
    pressurePercent: 0,
    ...changes,
  }
}

export function bandOf(delta = 0.05) {
  return { delta, low: 1 / (1 + delta), high: 1 + delta }
}

/** A comparison that went as it should. */
export function course(changes = {}) {
  return {
    variant: 'love',
    cpus: 2,
    ended: 'time',
    seconds: 40,
    twin: { value: 1, low: 0.9, high: 1.1 },
    disturbed: 0,
    otherCpus: 0.02,
    aloneBecause: null,
    ...changes,
  }
}

/** What advise() takes: one task, measured as it should be. */
export function situation(cells, changes = {}) {
  return {
    cells,
    variants: { love: 'renderLove' },
    scout: { love: scout() },
    settings: settings(),
    noise: noiseFacts(),
    courses: [course()],
    ...changes,
  }
}

function verdictOf({ low, high }) {
  if (low > 1.05) return 'faster'
  if (high < 1 / 1.05) return 'slower'
  return low >= 1 / 1.05 && high <= 1.05 ? 'same' : 'cannot-tell'
}
