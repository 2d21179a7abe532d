// Puts the facts of a run into words that the terminal and the page share.

import type { MachineFacts, NoiseFacts, Reason } from '../measure/result.js'
import { finite, formatBytes, formatCpus, formatPercent, formatPlain } from './format-number.js'

/** The figures behind the verdict on the machine, as far as they are known. */
export function noiseFigures(noise: NoiseFacts): string[] {
  const drift = speedDrift(noise.calibrationMs)
  const figures: [number | null, (value: number) => string][] = [
    [finite(noise.stealPercent), (value) => `steal ${formatPercent(value)}`],
    [finite(noise.otherCpus), (value) => `other processes ${formatCpus(value)}`],
    [finite(noise.pressurePercent), (value) => `CPU pressure ${formatPercent(value)}`],
    [drift, (value) => `speed drift ${formatPercent(value)}`],
  ]
  return figures.flatMap(([value, write]) => (value === null ? [] : [write(value)]))
}

/** How much slower the slowest calibration loop was than the fastest, in %; null with fewer than two. */
export function speedDrift(calibrationMs: number[]): number | null {
  const times = calibrationMs.filter((time) => (finite(time) ?? 0) > 0)
  return times.length < 2 ? null : (Math.max(...times) / Math.min(...times) - 1) * 100
}

export function describeMachine(machine: MachineFacts): string {
  const { cpus, host, affinity, quota } = machine
  // Without a limit that we know of, the difference was set by hand (THREADWISE_CPUS).
  const limits = [
    ...(affinity < host ? [`affinity ${affinity}`] : []),
    ...(finite(quota) === null ? [] : [`quota ${formatPlain(quota)}`]),
  ]
  const budget =
    cpus === host
      ? formatCpus(cpus)
      : `${formatPlain(cpus)} of ${formatCpus(host)} (${limits.join(', ') || 'set by hand'})`
  const memory = formatBytes(machine.totalMemoryBytes)
  return `${machine.cpuModel}, ${budget}, ${memory}, ${machine.platform} ${machine.arch}, Node ${machine.node.replace(/^v/, '')}`
}

/** "name value, name value": the figures that a sentence rests on; empty without any. */
export function describeEvidence({ evidence }: Reason): string {
  return Object.entries(evidence)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : formatPlain(value)}`)
    .join(', ')
}
