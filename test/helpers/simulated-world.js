// Candidates of known truth on a machine like a small virtual one, for decide(): each of its two CPUs runs at 1 or at 1.9 for some
// hundred ms at a time, whatever runs on it; code gets faster while it warms up; processes of one candidate differ.
import { createRandom } from '../../build/measure/stats/random.js'

const WORLD = {
  fast: 1.9,
  slowMs: 600,
  fastMs: 250,
  /** Noise of a window, share of windows with a collection, and what it costs. */
  white: 0.06,
  collections: 0.06,
  collectionLoss: 0.3,
  /** Spread between processes, as a logarithm. */
  tau: 0.03,
  /** A warm-up that is left: the rate starts lower by `depth`, and so many calls take away two thirds of that. */
  depth: 0.4,
  warmCalls: 600,
  callsPerSecond: 1100,
  warmCpuMs: 1500,
  windowMs: 60,
  /** All on the first CPU. */
  isPinned: false,
  startMs: 250,
  /** Others work for so long in each period. */
  loadPeriodMs: 0,
  loadMs: 0,
  /** Candidate -> after how many windows its process fails, or wears out. */
  failsAfter: {},
  wornAfter: {},
}

/** @param truth candidate -> how often as fast as the baseline it is */
export function simulatedWorld(truth, { seed = 1, startSeconds = 0.7, ...changes } = {}) {
  const w = { ...WORLD, ...changes }
  const random = createRandom(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const cpus = [speeds(w, random), speeds(w, random)]
  let now = startSeconds * 1000
  const isLoaded = () => w.loadPeriodMs > 0 && now % w.loadPeriodMs < w.loadMs
  const opened = []
  let open = 0

  const contender = ({ name, workers = 1 }) => {
    const effect = Math.exp(w.tau * normal())
    let calls = (w.warmCpuMs / 1000) * w.callsPerSecond
    let windows = 0
    open++
    return {
      async measure() {
        if (++windows > (w.failsAfter[name] ?? Infinity)) return { failed: 'it ended with exit code 3' }
        const [from, to] = [now, now + w.windowMs]
        const own = workers > 1 ? cpus : [cpus[w.isPinned || random() < 0.5 ? 0 : 1]]
        const speed = own.reduce((sum, cpu) => sum + cpu(from, to), 0) / own.length
        const collection = random() < w.collections ? 1 - w.collectionLoss : 1
        const load = isLoaded() ? (workers > 1 ? 0.55 : 0.8) : 1
        const warmth = 1 - w.depth * Math.exp(-calls / w.warmCalls)
        const rate =
          w.callsPerSecond *
          truth[name] *
          effect *
          speed *
          warmth *
          Math.exp(w.white * normal()) *
          collection *
          load
        calls += (rate * w.windowMs) / 1000 / workers
        now = to + 2
        const isWorn = windows >= (w.wornAfter[name] ?? Infinity)
        return { atMs: from, wallMs: w.windowMs, rate, otherCpus: load < 1 ? 0.9 : 0.03 * random(), isWorn }
      },
      async close() {
        open--
      },
    }
  }
  return {
    random,
    opened,
    stillOpen: () => open,
    seconds: () => now / 1000,
    isStopped: () => false,
    async open(candidates) {
      opened.push(candidates.map(({ name }) => name))
      const workers = candidates.reduce((sum, candidate) => sum + (candidate.workers ?? 1), 0)
      now += (candidates.length * w.startMs) / 2 + (workers * w.warmCpuMs) / 2
      return candidates.map((candidate) =>
        w.failsAfter[candidate.name] === 0 ? { failed: 'it did not start' } : contender(candidate),
      )
    },
    async waitForQuiet(seconds) {
      const from = now
      while (isLoaded() && now - from < seconds * 1000) now += 150
      return (now - from) / 1000
    },
  }
}

/** A CPU: its mean speed between two moments. */
function speeds({ slowMs, fastMs, fast }, random) {
  const pieces = []
  let end = 0
  let isFast = random() < fastMs / (slowMs + fastMs)
  let last = 0
  return (from, to) => {
    while (end <= to) {
      end -= (isFast ? fastMs : slowMs) * Math.log(1 - random())
      pieces.push({ end, speed: isFast ? fast : 1 })
      isFast = !isFast
    }
    while (pieces[last].end <= from) last++
    let total = 0
    let at = from
    for (let i = last; at < to; at = pieces[i].end, i++)
      total += pieces[i].speed * (Math.min(pieces[i].end, to) - at)
    return total / (to - from)
  }
}
