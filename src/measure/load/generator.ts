// Whether a run says something about the server: how busy the generator was, and how late it sent.

import type { Histogram } from '../../primitives/histogram.js'

/** Above this share of one core it would often have sent later than it should, or read answers late. */
const MAX_CPU = 0.8

/** A send that is late by more than this many milliseconds, and by this share of the p99 latency, spoils the percentiles ... */
const LATE_MS = 20
const LATE_SHARE = 0.25
/** ... when this share of the requests, and at least this many, are. */
const LATE_REQUESTS_SHARE = 0.01
const LATE_REQUESTS = 5

/** In less time the share says more about the start of this program than about the load. */
const MIN_SECONDS = 1

export interface GeneratorFigures {
  /** The measured time. */
  seconds: number
  /** Share of one core. */
  cpu: number
  sendDelays: Histogram
  p99Ms: number | null
}

/** Why the generator was the bottleneck; null when it was not. */
export function whyLimited({ cpu, seconds, sendDelays, p99Ms }: GeneratorFigures): string | null {
  if (cpu > MAX_CPU && seconds >= MIN_SECONDS) return `it used ${Math.round(cpu * 100)} % of one core`
  const lateMs = Math.max(LATE_MS, LATE_SHARE * (p99Ms ?? 0))
  const late = sendDelays.countAbove(lateMs)
  if (late < LATE_REQUESTS || late <= LATE_REQUESTS_SHARE * sendDelays.count) return null
  const percent = (100 * late) / sendDelays.count
  return `it sent ${percent.toFixed(1)} % of the requests more than ${Math.round(lateMs)} ms late`
}

/** Of a connection that could not be opened: why that is a limit of this machine, not of the server. Null when it is not. */
export function ownFault(message = ''): string | null {
  if (/\bE[MN]FILE\b/.test(message)) return 'it has no file descriptors left (ulimit -n)'
  if (/\bEADDRNOTAVAIL\b/.test(message)) return 'it has no ports left to connect from'
  return null
}

export interface CpuMeter {
  /** Share of one core that this process used since the start, or until the end once that is set. */
  share(): number
  end(): void
}

export function startCpuMeter(): CpuMeter {
  const startUsage = process.cpuUsage()
  const start = performance.now()
  let ended: number | null = null
  const measure = () => {
    const { user, system } = process.cpuUsage(startUsage)
    const ms = performance.now() - start
    return ms > 0 ? (user + system) / 1000 / ms : 0
  }
  return {
    share: () => ended ?? measure(),
    end() {
      ended ??= measure()
    },
  }
}
