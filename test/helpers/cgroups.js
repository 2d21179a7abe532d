// The cgroups that are there, to see which ones a test left behind.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The cgroups of the cpu controller, below the one of this process. */
export function cgroupFolders() {
  const own =
    /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? ''
  return ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct']
    .flatMap((root) => [root, root + own])
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder))
}
