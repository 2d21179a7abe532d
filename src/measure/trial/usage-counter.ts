// Adds up what the windows of a trial show, beside their rates.

import { readThrottling } from '../../cpu/throttling.js'
import { Histogram } from '../../primitives/histogram.js'
import { cpuTimes, type CpuTimes } from '../machine/process-resources.js'
import type { Counted } from './count-window.js'
import { startLoopDelayProbe, type LoopDelayProbe } from './loop-delay.js'
import type { EndedCall } from './run-lanes.js'
import type { Usage } from './trial.js'

interface Begun {
  readonly probe: LoopDelayProbe
  readonly at: number
  readonly cpu: CpuTimes
  readonly throttledMs: number | null
}

export class UsageCounter {
  readonly #latency = new Histogram()
  readonly #loopDelay = new Histogram()
  readonly #sums = { calls: 0, failed: 0, seconds: 0 }
  #throttledMs: number | null = 0
  #cpuSeconds: number | null = 0
  #mainCpuSeconds: number | null = 0
  #firstError: string | null = null

  get calls(): number {
    return this.#sums.calls
  }

  begin(): Begun {
    const throttledMs = readThrottling()?.throttledMs ?? null
    return { throttledMs, cpu: cpuTimes(), at: performance.now(), probe: startLoopDelayProbe() }
  }

  record({ began, ended, isFailed, error }: EndedCall): void {
    this.#latency.record(Math.max(1e-6, ended - began))
    if (isFailed) this.#firstError ??= String(error)
  }

  /** Gives the CPU times before and after the window. */
  end(
    { probe, at, cpu, throttledMs }: Begun,
    { calls, failed }: Counted,
  ): { before: CpuTimes; after: CpuTimes } {
    this.#loopDelay.merge(probe.stop())
    const after = cpuTimes()
    this.#sums.calls += calls
    this.#sums.failed += failed
    this.#sums.seconds += (performance.now() - at) / 1000
    this.#cpuSeconds = plus(this.#cpuSeconds, difference(after.total, cpu.total))
    this.#mainCpuSeconds = plus(this.#mainCpuSeconds, difference(after.main, cpu.main))
    this.#throttledMs = plus(
      this.#throttledMs,
      difference(readThrottling()?.throttledMs ?? null, throttledMs),
    )
    return { before: cpu, after }
  }

  get(leak: Usage['leak']): Usage {
    return {
      ...this.#sums,
      firstError: this.#firstError,
      latency: this.#latency.toJSON(),
      loopDelay: this.#loopDelay.toJSON(),
      throttledMs: this.#throttledMs,
      cpuSeconds: this.#cpuSeconds,
      mainCpuSeconds: this.#mainCpuSeconds,
      leak,
    }
  }
}

/** Null where one of the two is not known. */
export function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before
}

function plus(total: number | null, more: number | null): number | null {
  return total === null || more === null ? null : total + more
}
