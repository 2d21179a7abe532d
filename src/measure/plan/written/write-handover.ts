// The settings that follow from a plan, as text for Kubernetes, Compose or systemd.

import type { PlanConfiguration, PlanResult } from '../../results/plan-result.js'
import { composeText } from './compose.js'
import { kubernetesText } from './kubernetes.js'
import type { ContainerSettings } from './settings.js'
import { systemdText } from './systemd.js'

const writers = { kubernetes: kubernetesText, compose: composeText, systemd: systemdText }

const MB = 1024 ** 2
/** A heap grows in hours by more than in the seconds of a measurement. */
const LIMIT_TIMES = 1.75
const STEP_MB = 16

/** @param result with an answer */
export function writeHandover(what: keyof typeof writers, result: PlanResult): string {
  return writers[what](settingsOf(result))
}

function settingsOf(result: PlanResult): ContainerSettings {
  const first = result.configurations[0]!
  const { containers, cpus, use } = first
  return {
    name: nameOf(result.file),
    words: wordsOf(result.file, first),
    containers,
    cpus,
    memory: memoryOf(first),
    usePercent: Math.max(1, Math.round(100 * use)),
    spare: result.goal.spare,
    origin: originOf(result, first),
  }
}

/** One process needs no primary: whoever runs the container starts it again. */
function wordsOf(file: string, { instances }: PlanConfiguration): string[] {
  return instances === 1 ? ['node', file] : ['npx', 'threadwise', 'serve', file, '-i', String(instances)]
}

function memoryOf({ memoryBytes, containers }: PlanConfiguration): ContainerSettings['memory'] {
  if (memoryBytes === null) return null
  const own = memoryBytes / containers / MB
  const step = (mb: number) => STEP_MB * Math.ceil(mb / STEP_MB)
  return { requestMb: step(own), limitMb: step(own * LIMIT_TIMES) }
}

function nameOf(file: string): string {
  const base = file
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.[^.]*$/, '')
  const name = base
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'app' : name.slice(0, 40)
}

function originOf(
  { date, node, machine, load, goal, calibration, command }: PlanResult,
  { p99, use }: PlanConfiguration,
): string[] {
  const costs = calibration.map(
    ({ path, cpuMs, spread, at }) =>
      `${path} ${cpuMs.toFixed(2)} ms of CPU time (+-${Math.max(1, Math.round(100 * spread))} %) at ${at.toFixed(0)} requests/s on one process`,
  )
  const range =
    p99 === null
      ? ''
      : ` a p99 of ${p99.value.toFixed(0)} ms (${p99.low.toFixed(0)}..${p99.high.toFixed(0)}) at`
  return [
    `Measured by threadwise plan on ${date.slice(0, 10)}, Node.js ${node}, ${machine.cpus} CPUs (${machine.model}):`,
    ...costs.map((text) => `  ${text}`),
    `Predicted for ${load.rate} requests/s (${load.arrivals}), goal p99 ${goal.p99} ms:${range} a CPU use of ${Math.round(100 * use)} %.`,
    ...(command === null ? [] : [`Repeat: ${command}`]),
  ].map(oneLine)
}

/** Nothing that came from outside ends a comment. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
