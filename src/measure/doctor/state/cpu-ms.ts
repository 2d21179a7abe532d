// Milliseconds of CPU that this process has used: on a busy machine a clock says little about work that was done.

export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
