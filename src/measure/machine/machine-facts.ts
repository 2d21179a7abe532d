// What machine and Node these figures come from, and which measurements they cannot give.

import { availableParallelism, cpus, totalmem } from 'node:os'
import { cpuBudget } from '../../cpu/cpu-budget.js'
import { cpuTimes, privateBytes } from './process-resources.js'
import type { MachineFacts } from '../results/result.js'

export function machineFacts(): MachineFacts {
  const budget = cpuBudget()
  return {
    platform: process.platform,
    arch: process.arch,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    host: budget.host,
    affinity: budget.affinity,
    quota: budget.quota,
    cpus: budget.cpus,
    nodeAnswer: availableParallelism(),
    node: process.version,
    v8: process.versions.v8,
    uv: process.versions.uv,
    totalMemoryBytes: totalmem(),
    unavailable: unavailable(),
  }
}

function unavailable(): string[] {
  const { total, main } = cpuTimes()
  return [
    ...(total === null ? ['CPU time of child processes'] : []),
    ...(main === null ? ['CPU time of the main thread'] : []),
    ...(privateBytes() === null ? ['private memory'] : []),
  ]
}
