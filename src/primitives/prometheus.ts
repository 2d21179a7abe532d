// Writes metrics in the text format 0.0.4 of Prometheus: what a scraper reads from /metrics.

export type Labels = Readonly<Record<string, string | number>>

export interface Sample {
  readonly labels: Labels
  readonly value: number
  /** '_sum' and '_count' of a summary, and '_bucket' of a histogram. */
  readonly suffix?: string
}

export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** Metrics without samples are left out. */
export function writeMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(writeMetric)
    .join('')
}

export function metric(name: string, type: Metric['type'], help: string, samples: readonly Sample[]): Metric {
  return { name: `threadwise_${name}`, type, help, samples }
}

/** One sample of each thing that has the value; null: it has none. */
export function samplesOf<Thing extends { readonly labels: Labels }>(
  things: readonly Thing[],
  valueOf: (thing: Thing) => number | null,
): Sample[] {
  return things.flatMap((thing) => {
    const value = valueOf(thing)
    return value === null ? [] : [{ labels: thing.labels, value }]
  })
}

/** Prometheus counts times in seconds. */
export function seconds<Time extends number | null>(ms: Time): Time {
  return (ms === null ? null : ms / 1000) as Time
}

function writeMetric({ name, type, help, samples }: Metric): string {
  const lines = samples.map(
    ({ labels, value, suffix = '' }) => `${name}${suffix}${writeLabels(labels)} ${value}`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(String(value))}"`)
  return `{${pairs.join(',')}}`
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
