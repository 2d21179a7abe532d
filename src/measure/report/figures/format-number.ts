// Writes measured figures as short text with units; a figure that is missing or not finite becomes a dash.

/** A figure as it may stand in a result that was read from JSON, where NaN and Infinity have become null. */
export type Figure = number | null | undefined

export const dash = '-'

/** The figure when it is a finite number, else null. */
export function finite(value: Figure): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** 1310000 -> "1.31 M": a count, or calls per second in a column that says so. */
export function formatCount(value: Figure): string {
  return scaled(value, ['', 'k', 'M', 'G', 'T'], 1000)
}

/** 1310000 -> "1.31 M/s". */
export function formatRate(perSecond: Figure): string {
  const text = formatCount(perSecond)
  return text === dash ? dash : `${text}/s`
}

/** Milliseconds: 0.045 -> "45 us", 12 -> "12 ms", 2400 -> "2.4 s". */
export function formatMs(ms: Figure): string {
  const value = finite(ms)
  if (value === null) return dash
  if (value === 0) return '0 ms'
  return Math.abs(rounded(value)) >= 1000
    ? `${plain(value / 1000)} s`
    : scaled(value * 1e6, ['ns', 'us', 'ms'], 1000)
}

/** 8493466 -> "8.1 MiB". */
export function formatBytes(bytes: Figure): string {
  return scaled(bytes, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024)
}

/** A value that is already in percent: 12.4 -> "12.4 %". */
export function formatPercent(percent: Figure): string {
  const value = finite(percent)
  if (value === null) return dash
  return `${value !== 0 && Math.abs(value) < 0.01 ? '<0.01' : plain(Number(value.toFixed(2)))} %`
}

/** How often as fast: two decimals up to 10, so that 1.05 and 1.10 stay apart; very small ones keep two digits. */
export function formatRatio(ratio: Figure): string {
  const value = finite(ratio)
  if (value === null) return dash
  if (value >= 99.95) return formatCount(value)
  if (value >= 9.995) return value.toFixed(1)
  return value >= 0.0995 || value <= 0 ? value.toFixed(2) : String(Number(value.toPrecision(2)))
}

/** "1.2 .. 1.3": from one figure to another, each written by `write`; a dash unless both are known. */
export function formatRange(low: Figure, high: Figure, write: (value: Figure) => string): string {
  return finite(low) === null || finite(high) === null ? dash : `${write(low)} .. ${write(high)}`
}

/** CPUs as a person writes them: 0.6 -> "0.6 CPU", 2 -> "2 CPUs". */
export function formatCpuLimit(cpus: Figure): string {
  const value = finite(cpus)
  if (value === null) return dash
  return `${plain(value)} ${value <= 1 ? 'CPU' : 'CPUs'}`
}

/** A figure without a unit: at most three digits after rounding, whole numbers in full. */
export function formatPlain(value: Figure): string {
  const number = finite(value)
  if (number === null) return dash
  if (Number.isInteger(number) && Math.abs(number) < 1e6) return String(number)
  return Math.abs(number) >= 1000 ? formatCount(number) : plain(number)
}

function scaled(figure: Figure, units: string[], step: number): string {
  let value = finite(figure)
  if (value === null) return dash
  let unit = 0
  // Compared after rounding, so that 999.9 becomes "1 k" and never "1000".
  while (unit < units.length - 1 && Math.abs(rounded(value)) >= step) {
    value /= step
    unit++
  }
  return `${plain(value)} ${units[unit]}`.trimEnd()
}

function plain(value: number): string {
  return String(rounded(value))
}

/** Three significant digits; whole numbers keep all of theirs. */
function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3))
}
