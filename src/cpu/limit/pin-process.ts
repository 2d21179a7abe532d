// Moves running processes to one CPU, and from there to another one: what they cost is compared best on the same CPU.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { allowedCpus } from '../affinity.js'
import { openFileTree } from '../file-tree.js'
import { findExecutable } from './find-executable.js'

const run = promisify(execFile)

export interface Pinner {
  /** Those that this process may use, ascending. */
  readonly cpus: readonly number[]
  /** With all threads that it has by now; later ones follow. One that has ended is left alone. */
  pin(pid: number, cpu: number): Promise<void>
}

/** Null where that cannot be done: not Linux, or no taskset. */
export function openPinner(env: NodeJS.ProcessEnv = process.env): Pinner | null {
  const program = findExecutable('taskset', env.PATH)
  const cpus = allowedCpus(openFileTree())
  if (program === null || cpus === null || cpus.length === 0) return null
  return {
    cpus,
    async pin(pid, cpu) {
      await run(program, ['-a', '-p', '-c', String(cpu), String(pid)]).catch(() => {})
    },
  }
}
