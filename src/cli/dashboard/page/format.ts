// Figures as people read them; the same rounding as in the tables of `threadwise status`.

export function perSecond(value: number | null): string {
  return value === null ? '-' : value.toFixed(1)
}

export function inMs(ms: number | null): string {
  if (ms === null) return '-'
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

export function inCpus(cpus: number | null): string {
  return cpus === null ? '-' : cpus.toFixed(2)
}

export function inPercent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`
}

export function inMemory(bytes: number | null): string {
  if (bytes === null) return '-'
  return bytes < 10 * 1024 ** 3
    ? `${Math.round(bytes / 1024 ** 2)} MB`
    : `${(bytes / 1024 ** 3).toFixed(1)} GB`
}

/** A budget: "0.6", "2". */
export function inWholeCpus(cpus: number): string {
  return String(Number(cpus.toFixed(2)))
}

export function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour12: false })
}

export function since(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
