// Pins a child to whole CPUs: works for every user of Linux, and is only a likeness of a quota.

import { allowedCpus } from '../affinity.js'
import { findExecutable } from './find-executable.js'
import type { LimitMethod } from './limit-method.js'

export const taskset: LimitMethod = {
  name: 'taskset',
  open({ cpus, tree, env }) {
    if (!Number.isInteger(cpus)) return { refused: 'it can only give whole CPUs' }
    const program = findExecutable('taskset', env.PATH)
    if (!program) return { refused: 'taskset is not installed' }
    const allowed = allowedCpus(tree)
    if (!allowed || allowed.length < cpus)
      return { refused: `only ${allowed?.length ?? 0} CPUs are known to be allowed` }
    const list = allowed.slice(-cpus).join(',') // the last ones: the first CPU usually serves most interrupts
    return {
      cpus,
      method: 'taskset',
      exact: false,
      note:
        `Pinned to CPU ${list} with taskset, which differs from a container's quota: the child is never throttled, ` +
        'its threads cannot spread over more CPUs for a part of the period, and other processes may use the same CPUs.',
      wrap: (file, args) => ({ file: program, args: ['-c', list, file, ...args] }),
      adopt: () => {},
      remove: async () => {},
      removeNow: () => {},
    }
  },
}
