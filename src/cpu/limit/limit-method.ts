// The contract of a CPU limit for child processes, and of the ways to make one.

import type { FileTree } from '../file-tree.js'

export type LimitMethodName = 'none' | 'cgroup-v2' | 'cgroup-v1' | 'systemd-run' | 'taskset'

/** A CPU limit that children can be started under. */
export interface CpuLimit {
  /** The limit, in CPUs. */
  readonly cpus: number
  readonly method: LimitMethodName
  /** True when the kernel enforces exactly this limit, as it does for a container. */
  readonly exact: boolean
  /** One sentence for the report. */
  readonly note: string
  /** The command line to spawn in place of `file` and `args`. */
  wrap(file: string, args: readonly string[]): { file: string; args: string[] }
  /**
   * Call right after spawn: puts the child, with all its threads and what it starts later, under the limit. Does nothing
   * where `wrap` has done it, or when the child has ended.
   *
   * @throws TW_ERR_LIMIT_UNAVAILABLE when the kernel refuses to move the child.
   */
  adopt(pid: number): void
  /** Takes the limit away for a while, and puts it back. Absent where that cannot be done. */
  lift?(): void
  restore?(): void
  /**
   * Ends what still runs inside (SIGKILL) and removes the limit; a second call does nothing. With 'none' and 'taskset'
   * nobody knows what runs inside: whoever spawned it ends it.
   */
  remove(): Promise<void>
}

/** A limit that can also be removed at once, as the exit of the process needs it. */
export interface OpenedLimit extends CpuLimit {
  removeNow(): void
}

export interface LimitRequest {
  cpus: number
  tree: FileTree
  /** PATH, and where the user's systemd listens. */
  env: Record<string, string | undefined>
}

/** Why a method cannot limit anything here. */
export interface LimitRefusal {
  refused: string
}

export interface LimitMethod {
  name: Exclude<LimitMethodName, 'none'>
  open(request: LimitRequest): OpenedLimit | LimitRefusal
}

/** Length of the period in which a quota counts, in microseconds: the default of Docker, Kubernetes and systemd. */
export const periodUs = 100_000

export function quotaUs(cpus: number): number {
  return Math.round(cpus * periodUs)
}

/** For methods that need no wrapper. */
export function asGiven(file: string, args: readonly string[]): { file: string; args: string[] } {
  return { file, args: [...args] }
}

/** What a failed system call says, without its stack: "mkdir /sys/fs/cgroup/x: EROFS". */
export function systemErrorText(error: unknown): string {
  const { code, syscall, path, message } = error as NodeJS.ErrnoException
  return code && syscall ? `${syscall} ${path ?? ''}`.trim() + `: ${code}` : message
}
