// The limits of another process of this user: its CPUs, how often the kernel freezes it, and its memory. Read from /proc, so it notices nothing.

import { availableParallelism, totalmem } from 'node:os'
import { allowedCpus } from './affinity.js'
import { quotaLevels, tightestQuota } from './cgroup-quota.js'
import { openFileTree, type FileTree } from './file-tree.js'
import { ownCgroups, type CgroupVersion } from './own-cgroups.js'
import { throttlingOf, type Throttling } from './throttling.js'

export interface ProcessLimits {
  /** The CPUs that it may use, as a fraction. */
  readonly cpus: number
  /** Counters of its tightest quota; null where it has none. */
  readonly throttling: Throttling | null
  /** Bytes for it and all that shares its cgroup; those of the machine where it has no limit. */
  readonly memoryBytes: number
  readonly hasMemoryLimit: boolean
}

/** `base`: a recorded tree stands for a machine. Elsewhere than on Linux they are those of the machine. */
export function limitsOfProcess(pid: number, base: FileTree = openFileTree()): ProcessLimits {
  const tree = treeOf(pid, base)
  const memory = memoryLimit(tree)
  return {
    cpus:
      ownNumber(tree) ??
      Math.min(
        tightestQuota(quotaLevels(tree))?.cpus ?? Infinity,
        allowedCpus(tree)?.length ?? availableParallelism(),
      ),
    throttling: throttlingOf(tree),
    memoryBytes: Math.min(memory, totalmem()),
    hasMemoryLimit: memory < totalmem(),
  }
}

/** Where others read of this process, they read of that one. */
function treeOf(pid: number, base: FileTree): FileTree {
  const own = (path: string) => path.replace(/^\/proc\/self\//, `/proc/${pid}/`)
  return { ...base, read: (path) => base.read(own(path)), has: (path) => base.has(own(path)) }
}

/** THREADWISE_CPUS, which its pools go by. */
function ownNumber(tree: FileTree): number | null {
  const [, text] = /(?:^|\0)THREADWISE_CPUS=([^\0]*)/.exec(tree.read('/proc/self/environ') ?? '') ?? []
  const cpus = Number(text)
  return cpus > 0 && cpus < Infinity ? cpus : null
}

const FILES: Record<CgroupVersion, string> = {
  'cgroup-v2': 'memory.max',
  'cgroup-v1': 'memory.limit_in_bytes',
}

/** The tightest of its cgroup and all above it. Infinity: none has one ("max"; v1 writes a number that no machine has). */
function memoryLimit(tree: FileTree): number {
  const limits = ownCgroups(tree, 'memory').flatMap(({ version, folders }) =>
    folders.map((folder) => Number(tree.read(`${folder}/${FILES[version]}`)?.trim() ?? NaN)),
  )
  return Math.min(Infinity, ...limits.filter((bytes) => bytes > 0))
}
