// How good the machine was while measuring: quiet, noisy, or unusable. An unusable machine gets no verdict.
//
// What counts: the CPU that others used while something was measured, and the CPU that the hypervisor took away (steal). That a
// processor changes its speed does not count: windows side by side see the same speed.

import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { NoiseFacts } from '../results/result.js'

/** What the windows of a run showed of others. */
export interface Disturbance {
  /** CPUs that others used on average; null where nobody knows. */
  readonly otherCpus: number | null
  /** Share of the windows that were left out. */
  readonly disturbed: number
}

export interface MachineCheck {
  /** @param seen empty when nothing was measured in windows: then what was seen before counts */
  readonly finish: (seen: readonly Disturbance[]) => NoiseFacts
}

/** The limits beyond which a machine is noisy, and unusable. */
const LIMITS = {
  otherCpuShare: { noisy: 0.15, unusable: 0.6 },
  disturbed: { noisy: 0.25, unusable: Infinity },
  stealPercent: { noisy: 3, unusable: 25 },
}

/** Looks at the idle machine for this long before the run. */
const LOOK_MS = 300

export async function startMachineCheck(cpus: number): Promise<MachineCheck> {
  const before = readCpuTicks()
  const waitedBefore = readPressureUs()
  const started = performance.now()
  await delay(LOOK_MS)
  const waited = difference(readPressureUs(), waitedBefore)
  const elapsedUs = (performance.now() - started) * 1000
  const start = readCpuTicks()
  const othersBefore = otherCpus(before, start)
  return {
    finish(seen) {
      const known = seen.flatMap((each) => each.otherCpus ?? [])
      const facts = {
        stealPercent: steal(start, readCpuTicks()),
        otherCpus: known.length === 0 ? othersBefore : average(known),
        disturbedPercent: known.length === 0 ? null : 100 * average(seen.map(({ disturbed }) => disturbed)),
        pressurePercent: waited === null ? null : (100 * waited) / elapsedUs,
      }
      return { ...judgeMachine(facts, cpus), ...facts }
    },
  }
}

type Judgement = Pick<NoiseFacts, 'verdict' | 'reasons'>
type Facts = Omit<NoiseFacts, keyof Judgement>

/** Exported for its tests. */
export function judgeMachine({ stealPercent, otherCpus, disturbedPercent }: Facts, cpus: number): Judgement {
  const signs = [
    {
      value: (otherCpus ?? 0) / cpus,
      limit: LIMITS.otherCpuShare,
      sentence: `Other processes used ${(otherCpus ?? 0).toFixed(1)} of ${cpus} CPUs while it was measured.`,
    },
    {
      value: (disturbedPercent ?? 0) / 100,
      limit: LIMITS.disturbed,
      sentence: `Others used a CPU in ${(disturbedPercent ?? 0).toFixed(0)} % of the windows, which were left out where enough others remained.`,
    },
    {
      value: stealPercent ?? 0,
      limit: LIMITS.stealPercent,
      sentence: `The hypervisor took away ${(stealPercent ?? 0).toFixed(0)} % of the CPU time during the run.`,
    },
  ]
  const reasons = signs.filter(({ value, limit }) => value > limit.noisy).map(({ sentence }) => sentence)
  const isUnusable = signs.some(({ value, limit }) => value > limit.unusable)
  return { verdict: isUnusable ? 'unusable' : reasons.length > 0 ? 'noisy' : 'quiet', reasons }
}

function average(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}

interface CpuTicks {
  readonly total: number
  readonly idle: number
  readonly steal: number
  readonly count: number
  /** What this process and its ended children have used. */
  readonly own: number
}

/** The first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks of 10 ms (proc(5)). */
function readCpuTicks(): CpuTicks | null {
  const text = read('/proc/stat')
  if (text === null) return null
  const fields = text.split('\n')[0]!.trim().split(/\s+/).slice(1, 9).map(Number)
  const count = (text.match(/^cpu\d+ /gm) ?? []).length
  return {
    total: fields.reduce((a, b) => a + b, 0),
    idle: fields[3]! + fields[4]!,
    steal: fields[7] ?? 0,
    count,
    own: ownTicks(),
  }
}

/** utime, stime, cutime and cstime: fields 14 to 17 of stat, counted after the name, which may hold spaces (proc(5)). */
function ownTicks(): number {
  const fields = (read('/proc/self/stat') ?? '').split(') ').at(-1)!.split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** CPUs that were busy with neither this process nor its children. What the hypervisor took away counts by itself. */
function otherCpus(a: CpuTicks | null, b: CpuTicks | null): number | null {
  if (!a || !b || b.total === a.total) return null
  const others = b.total - a.total - (b.idle - a.idle) - (b.steal - a.steal) - (b.own - a.own)
  return Math.max(0, (b.count * others) / (b.total - a.total))
}

function steal(a: CpuTicks | null, b: CpuTicks | null): number | null {
  if (!a || !b || b.total === a.total) return null
  return (100 * (b.steal - a.steal)) / (b.total - a.total)
}

/** Microseconds in which some task waited for a CPU (docs.kernel.org/accounting/psi.html). */
function readPressureUs(): number | null {
  const total = /^some .*total=(\d+)/m.exec(read('/proc/pressure/cpu') ?? '')
  return total ? Number(total[1]) : null
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
