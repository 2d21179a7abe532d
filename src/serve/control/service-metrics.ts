// The figures of services as metrics for Prometheus.

import { checkOption } from '../../errors/check-options.js'
import {
  metric,
  samplesOf,
  seconds,
  writeMetrics,
  type Labels,
  type Metric,
  type Sample,
} from '../../primitives/prometheus.js'
import type { InstanceLoad, ServiceStatus } from '../contract/events.js'

interface NamedService {
  readonly labels: Labels
  readonly status: ServiceStatus
}

/** An instance that has answered. */
interface NamedInstance {
  readonly labels: Labels
  readonly load: InstanceLoad
}

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
  const services = all.map((status): NamedService => ({ labels: { service: status.name }, status }))
  return writeMetrics([...ofServices(services), ...ofInstances(services.flatMap(answered))])
}

function answered({ labels, status }: NamedService): NamedInstance[] {
  return status.instances.flatMap(({ id, load }) =>
    load === null ? [] : [{ labels: { ...labels, instance_id: id }, load }],
  )
}

function ofServices(all: readonly NamedService[]): Metric[] {
  const each = (valueOf: (status: ServiceStatus) => number) => samplesOf(all, ({ status }) => valueOf(status))
  const serving = ({ instances }: ServiceStatus) =>
    instances.filter(({ state }) => state === 'serving').length
  // prettier-ignore
  return [
    metric('service_wanted', 'gauge', 'Instances that there should be.', each(({ wanted }) => wanted)),
    metric('service_serving', 'gauge', 'Instances that serve.', each(serving)),
    metric('service_reloads_total', 'counter', 'Reloads.', each(({ reloads }) => reloads)),
    metric('service_renewals_total', 'counter', 'Instances that were replaced since they had reached a limit.', each(({ renewals }) => renewals)),
    metric('service_crashes_total', 'counter', 'Instances that ended without being told to.', each(({ crashes }) => crashes)),
  ]
}

function ofInstances(all: readonly NamedInstance[]): Metric[] {
  const each = (valueOf: (load: InstanceLoad) => number | null) => samplesOf(all, ({ load }) => valueOf(load))
  // prettier-ignore
  return [
    metric('instance_errors_total', 'counter', 'Requests with a status of 500 or more, or broken off.', each(({ errors }) => errors)),
    metric('instance_open_requests', 'gauge', 'Requests under way.', each(({ open }) => open)),
    metric('instance_loop_delay_seconds', 'gauge', 'Delay of the event loop that 99 of 100 recent samples stayed below.', each(({ loopDelay }) => seconds(loopDelay))),
    metric('instance_cpu_seconds_total', 'counter', 'CPU time.', each(({ cpuMs }) => seconds(cpuMs))),
    metric('instance_resident_memory_bytes', 'gauge', 'Memory.', each(({ rss }) => rss)),
    metric('instance_heap_used_bytes', 'gauge', 'Memory of the JavaScript heap in use.', each(({ heapUsed }) => heapUsed)),
    metric('instance_request_duration_seconds', 'histogram', 'Time from the headers of a request to its answer.', all.flatMap(durationSamples)),
  ]
}

function durationSamples({ labels, load: { within, requests, totalMs } }: NamedInstance): Sample[] {
  const bucket = (le: string | number, value: number): Sample => ({
    labels: { ...labels, le },
    value,
    suffix: '_bucket',
  })
  return [
    ...Object.entries(within).map(([ms, count]) => bucket(Number(ms) / 1000, count)),
    bucket('+Inf', requests),
    { labels, value: totalMs / 1000, suffix: '_sum' },
    { labels, value: requests, suffix: '_count' },
  ]
}
