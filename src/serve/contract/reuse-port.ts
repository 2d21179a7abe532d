// Whether instances may listen by themselves on the same port (SO_REUSEPORT), and what that costs on this machine.

import { readFileSync } from 'node:fs'

/** Those of libuv (docs/src/tcp.rst) on which the kernel spreads connections; elsewhere listen() fails with ENOTSUP. */
const PLATFORMS = ['linux', 'freebsd', 'sunos', 'aix']
const MIGRATE_FILE = '/proc/sys/net/ipv4/tcp_migrate_req'

/** Null when it works here. */
export function reusePortProblem(
  version = process.versions.node,
  platform: string = process.platform,
): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const hasIt = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)
  if (!hasIt) return `it needs Node 22.12 or 23.1, and this is ${version}`
  if (!PLATFORMS.includes(platform)) return `${platform} does not spread connections over such sockets`
  return null
}

/** What the user should know. */
export function reusePortWarnings(file = MIGRATE_FILE): string[] {
  let value: string
  try {
    value = readFileSync(file, 'utf8').trim()
  } catch {
    value = 'unknown' // an older kernel, or another system
  }
  if (value === '1') return []
  const means = 'connections that wait for an instance are reset when it ends, also in a reload'
  return [`net.ipv4.tcp_migrate_req is ${value}: ${means}`]
}
