// The most workers that a pool may ask for here. Node ends a program whose memory is used up, and Linux one that maps too much of it:
// of the 65,530 areas that it gives a process each thread takes 47.

import { totalmem } from 'node:os'
import { residentBytes } from '../primitives/own-memory.js'

const MAX_WORKERS = 1024
const MIB = 1024 ** 2

/** MiB that a worker takes before it has loaded anything, rounded down. */
const MIN_MIB = { thread: 8, process: 32 }

/** MiB that a worker takes with a common task module and what runs in it. */
const COMMON_MIB = { thread: 32, process: 64 }
/** Of the limit: the rest is for buffers, code and what else runs in the container. */
const USABLE = 0.8

export interface MostWorkers {
  readonly count: number
  /** "1024", or "250 (2048 MB of memory hold no more processes)". */
  readonly text: string
}

export function mostWorkers(kind: keyof typeof MIN_MIB, memory = memoryHere()): MostWorkers {
  const count = Math.max(1, Math.min(MAX_WORKERS, Math.floor(memory / MIB / MIN_MIB[kind])))
  const plural = kind === 'thread' ? 'threads' : 'processes'
  const text =
    count === MAX_WORKERS
      ? String(count)
      : `${count} (${Math.floor(memory / MIB)} MB of memory hold no more ${plural})`
  return { count, text }
}

/**
 * The most workers for a pool that was given no size, where a container has less memory than the machine; otherwise no limit: its CPUs are one.
 * At least 1. `used`: bytes that the program takes itself.
 */
export function workersInMemory(
  kind: keyof typeof COMMON_MIB,
  { limit, machine, used } = { limit: memoryHere(), machine: totalmem(), used: residentBytes() ?? 0 },
): number {
  if (limit >= machine) return Infinity
  return Math.max(1, Math.floor((limit * USABLE - used) / MIB / COMMON_MIB[kind]))
}

/** Bytes of the machine, or of the cgroup: Node gives 0, or a number that no machine has, where that has no limit. */
function memoryHere(): number {
  const limit = (process as { constrainedMemory?: () => number }).constrainedMemory?.() ?? 0
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
