// The figures of services in the text format 0.0.4 of Prometheus.

import { checkOption } from '../../errors/check-options.js'
import type { InstanceLoad, InstanceStatus, ServiceStatus } from '../contract/events.js'

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
}

interface ServiceMetric extends Metric {
  value(status: ServiceStatus): number
}

interface LoadMetric extends Metric {
  value(load: InstanceLoad): number | null
}

const OF_SERVICE: ServiceMetric[] = [
  { name: 'wanted', type: 'gauge', help: 'Instances that there should be.', value: ({ wanted }) => wanted },
  { name: 'serving', type: 'gauge', help: 'Instances that serve.', value: ({ instances }) => instances.filter(({ state }) => state === 'serving').length }, // prettier-ignore
  { name: 'reloads_total', type: 'counter', help: 'Reloads.', value: ({ reloads }) => reloads },
  { name: 'renewals_total', type: 'counter', help: 'Instances that were replaced since they had reached a limit.', value: ({ renewals }) => renewals }, // prettier-ignore
  { name: 'crashes_total', type: 'counter', help: 'Instances that ended without being told to.', value: ({ crashes }) => crashes }, // prettier-ignore
]

const OF_INSTANCE: LoadMetric[] = [
  { name: 'errors_total', type: 'counter', help: 'Requests with a status of 500 or more, or broken off.', value: ({ errors }) => errors }, // prettier-ignore
  { name: 'open_requests', type: 'gauge', help: 'Requests under way.', value: ({ open }) => open },
  { name: 'loop_delay_seconds', type: 'gauge', help: 'Delay of the event loop that 99 of 100 recent samples stayed below.', value: ({ loopDelay }) => loopDelay === null ? null : loopDelay / 1000 }, // prettier-ignore
  { name: 'cpu_seconds_total', type: 'counter', help: 'CPU time.', value: ({ cpuMs }) => cpuMs / 1000 },
  { name: 'resident_memory_bytes', type: 'gauge', help: 'Memory.', value: ({ rss }) => rss },
  { name: 'heap_used_bytes', type: 'gauge', help: 'Memory of the JavaScript heap in use.', value: ({ heapUsed }) => heapUsed }, // prettier-ignore
]

const DURATION = 'threadwise_instance_request_duration_seconds'

/**
 * Metrics of one or several services as text for Prometheus; times are in seconds. Those of an instance are there only in what
 * `inspect()` gave. An instance that replaces another one has a number of its own, so its counters begin at 0.
 *
 * @param source what `inspect()` or `status()` of a service gave, or a list of these
 * @throws TW_ERR_INVALID_OPTION
 * @example response.end(serviceMetrics(await service.inspect()))
 */
export function serviceMetrics(source: ServiceStatus | readonly ServiceStatus[]): string {
  const all = (Array.isArray(source) ? source : [source]) as ServiceStatus[]
  const isStatus = all.every((one: unknown) => typeof one === 'object' && one !== null && 'instances' in one)
  checkOption(isStatus, 'the argument of serviceMetrics()', 'the status of a service, or a list', source)
  const lines = OF_SERVICE.flatMap((metric) => {
    const name = `threadwise_service_${metric.name}`
    const samples = all.map((status) => `${name}{service="${status.name}"} ${metric.value(status)}`)
    return [...headOf(name, metric), ...samples]
  })
  const measured = all.flatMap((status) => status.instances.map((instance) => measuredOf(status, instance)))
  const known = measured.filter((entry) => entry !== null)
  if (known.length > 0) lines.push(...instanceLines(known), ...durationLines(known))
  return `${lines.join('\n')}\n`
}

interface Measured {
  readonly labels: string
  readonly load: InstanceLoad
}

function measuredOf({ name }: ServiceStatus, { id, load }: InstanceStatus): Measured | null {
  return load && { labels: `service="${name}",instance="${id}"`, load }
}

function instanceLines(all: readonly Measured[]): string[] {
  return OF_INSTANCE.flatMap((metric) => {
    const name = `threadwise_instance_${metric.name}`
    const samples = all.flatMap(({ labels, load }) => {
      const value = metric.value(load)
      return value === null ? [] : [`${name}{${labels}} ${value}`]
    })
    return samples.length === 0 ? [] : [...headOf(name, metric), ...samples]
  })
}

function durationLines(all: readonly Measured[]): string[] {
  const samples = all.flatMap(({ labels, load }) => [
    ...Object.entries(load.within).map(([ms, count]) => {
      return `${DURATION}_bucket{${labels},le="${Number(ms) / 1000}"} ${count}`
    }),
    `${DURATION}_bucket{${labels},le="+Inf"} ${load.requests}`,
    `${DURATION}_sum{${labels}} ${load.totalMs / 1000}`,
    `${DURATION}_count{${labels}} ${load.requests}`,
  ])
  const head = headOf(DURATION, {
    type: 'histogram',
    help: 'Time from the headers of a request to its answer.',
  })
  return [...head, ...samples]
}

function headOf(name: string, { type, help }: { type: string; help: string }): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}
