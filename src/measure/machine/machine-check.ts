// How good the machine was while measuring: quiet, noisy, or unusable. An unusable machine gets no verdict.
//
// What counts: the CPU that others used just before and during the run, the CPU that the hypervisor took away during it
// (steal), the time that tasks waited for a CPU before the run (pressure), and how much a fixed loop's speed varied from
// round to round.

import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../stats/summary.js'
import type { NoiseFacts } from '../results/result.js'

export interface MachineCheck {
  /** Times the fixed loop; call it before each round. */
  readonly calibrate: () => void
  readonly finish: () => NoiseFacts
}

/** The limits beyond which a machine is noisy, and unusable. Speed: the slowest loop over the median one. */
const LIMITS = {
  otherCpuShare: { noisy: 0.15, unusable: 0.6 },
  stealPercent: { noisy: 3, unusable: 25 },
  slowdown: { noisy: 1.2, unusable: 2.5 },
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
  const calibrationMs: number[] = []
  return {
    calibrate: () => void calibrationMs.push(timeLoop()),
    finish() {
      const end = readCpuTicks()
      const others = [othersBefore, otherCpus(start, end)].filter((value) => value !== null)
      const facts = {
        calibrationMs,
        stealPercent: steal(start, end),
        otherCpus: others.length === 0 ? null : Math.max(...others),
        pressurePercent: waited === null ? null : (100 * waited) / elapsedUs,
      }
      return { ...judge(facts, cpus), ...facts }
    },
  }
}

type Judgement = Pick<NoiseFacts, 'verdict' | 'reasons' | 'speedDriftPercent'>
type Facts = Omit<NoiseFacts, keyof Judgement>

/** Exported for its tests. */
export function judge(facts: Facts, cpus: number): Judgement {
  const { calibrationMs, stealPercent, otherCpus } = facts
  const speedDriftPercent = calibrationMs.length > 2 ? (typicalSlowdown(calibrationMs) - 1) * 100 : null
  const slowdown = 1 + (speedDriftPercent ?? 0) / 100
  const signs = [
    {
      value: (otherCpus ?? 0) / cpus,
      limit: LIMITS.otherCpuShare,
      sentence: `Other processes used ${(otherCpus ?? 0).toFixed(1)} of ${cpus} CPUs just before or during the run.`,
    },
    {
      value: stealPercent ?? 0,
      limit: LIMITS.stealPercent,
      sentence: `The hypervisor took away ${(stealPercent ?? 0).toFixed(0)} % of the CPU time during the run.`,
    },
    {
      value: slowdown,
      limit: LIMITS.slowdown,
      sentence: `The speed of a fixed loop varied by a factor of ${slowdown.toFixed(1)} between rounds.`,
    },
  ]
  const reasons = signs.filter(({ value, limit }) => value > limit.noisy).map(({ sentence }) => sentence)
  const isUnusable = signs.some(({ value, limit }) => value > limit.unusable)
  const verdict = isUnusable ? 'unusable' : reasons.length > 0 ? 'noisy' : 'quiet'
  return { verdict, reasons, speedDriftPercent }
}

/** The upper quartile of the loop times over their median: a single stall does not make a machine unusable. */
function typicalSlowdown(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.75)]! / median(times)
}

/** A chain of divisions: bound by latency, so that its speed hardly depends on the optimising compiler. */
function timeLoop(): number {
  const started = performance.now()
  let value = 0.5
  for (let i = 0; i < 2_000_000; i++) value = 1 / (value + 1.0001)
  return value > 0 ? performance.now() - started : 0
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
