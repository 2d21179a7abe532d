// Puts the facts of a run into words that the terminal and the page share.

import type { MachineFacts, NoiseFacts, Reason } from '../../results/result.js'
import { finite, formatBytes, formatCpuLimit, formatMs, formatPercent, formatPlain } from './format-number.js'

/** A name that ends in a unit, as the naming rule for fields demands, or that is one. */
const unitInName = /^(.+)(Ms|Us|Bytes|Percent)$|^bytes$/
const unitWriters: Record<string, (value: number) => string> = {
  ms: formatMs,
  us: (value) => formatMs(value / 1000),
  bytes: formatBytes,
  percent: formatPercent,
}

/** The figures behind the verdict on the machine, as far as they are known. */
export function noiseFigures(noise: NoiseFacts): string[] {
  const figures: [number | null, (value: number) => string][] = [
    [finite(noise.stealPercent), (value) => `steal ${formatPercent(value)}`],
    [finite(noise.otherCpus), (value) => `other processes ${formatCpuLimit(value)}`],
    [finite(noise.pressurePercent), (value) => `CPU pressure ${formatPercent(value)}`],
    [finite(noise.disturbedPercent), (value) => `${formatPercent(value)} of the windows left out`],
  ]
  return figures.flatMap(([value, write]) => (value === null ? [] : [write(value)]))
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
      ? formatCpuLimit(cpus)
      : `${formatPlain(cpus)} of ${formatCpuLimit(host)} (${limits.join(', ') || 'set by hand'})`
  const memory = formatBytes(machine.totalMemoryBytes)
  return `${machine.cpuModel}, ${budget}, ${memory}, ${machine.platform} ${machine.arch}, Node ${machine.node.replace(/^v/, '')}`
}

/**
 * The figures that a sentence rests on, their names as words and their units taken from the names:
 * { loopDelayP99Ms: 3.1 } -> "loop delay p99: 3.1 ms". Empty without any.
 */
export function describeEvidence({ evidence }: Reason): string {
  return Object.entries(evidence)
    .map(([name, value]) => {
      const [, stem, unit = 'bytes'] = (typeof value === 'number' ? unitInName.exec(name) : null) ?? [
        null,
        name,
        '',
      ]
      return `${inWords(stem ?? '')}: ${typeof value === 'string' ? value : (unitWriters[unit.toLowerCase()]?.(value) ?? formatPlain(value))}`
    })
    .join(', ')
}

/** "loopDelayP99" -> "loop delay p99"; "" (the name was only a unit) -> "size". */
function inWords(name: string): string {
  return name === '' ? 'size' : name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
}
