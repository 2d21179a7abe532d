// `threadwise list`, `status` and `scale`: what they ask of a service, and what they print.

import { checkOption } from '../../errors/check-options.js'
import type { RememberedApp } from '../../serve/apps/remembered.js'
import { askService, listServices, nextProcess } from '../../serve/control/control-client.js'
import { recordsOfDead } from '../../serve/control/run-record.js'
import type { InstanceLoad, ServiceStatus } from '../../serve/contract/events.js'
import { checkInstances } from '../../serve/contract/resolve-options.js'
import { checkName } from '../../serve/contract/service-name.js'
import { serviceMetrics } from '../../serve/control/service-metrics.js'
import { toJson } from '../../measure/report/figures/json.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'
import { plain } from '../terminal/plain.js'
import { knownApp, knownApps } from '../background/background-record.js'
import { running } from './each-service.js'
import { describeService, elapsedSince } from './service-table.js'

const HEAD = ['NAME', 'STATE', 'SERVING', 'PID', 'UP', 'RESTARTS', 'CPU', 'MEMORY', 'FILE']

/** The exit code, as of all functions here. */
export async function runList(): Promise<number> {
  const { services, silent, odd } = await listServices('inspect')
  const oddRecords: string[] = []
  const ended = endedApps([...services.map(({ name }) => name), ...silent], (text) => oddRecords.push(text))
  const rows = [...services.map(rowOf), ...silent.map((name) => [name, 'no answer']), ...ended.map(endedRow)]
  if (rows.length === 0) print('No service runs for this user.\n')
  const table = alignColumns([HEAD, ...rows])
  if (rows.length > 0) print(`${[...table, ...ended.flatMap(lastWords)].map(plain).join('\n')}\n`)
  for (const name of odd) sayOdd(name)
  for (const text of oddRecords) process.stderr.write(`${plain(text)}\n`)
  return 0
}

function sayOdd(name: string): void {
  process.stderr.write(
    `${plain(name)}: what listens on its socket does not answer as a service of this version does\n`,
  )
}

/** Those that were started in the background, and run no more. */
function endedApps(running: readonly string[], onOdd: (text: string) => void): RememberedApp[] {
  return knownApps(onOdd).filter(({ plan }) => !running.includes(plan.name))
}

function endedRow({ plan, end }: RememberedApp): string[] {
  const { name, file } = plan
  const when = end === null ? '-' : `${elapsedSince(end.at)} ago`
  return [name, stateOf({ plan, end }), '-', '-', when, '', '', '', [file].flat().join(' ')]
}

/** Killed is one whose process is known, and gone. Of one that an older version has started, no process is known. */
function stateOf({ plan, end }: Pick<RememberedApp, 'plan' | 'end'>): string {
  if (nextProcess(plan.name)) return 'restarting'
  if (end) return end.state
  return recordsOfDead().some(({ name }) => name === plan.name) ? 'killed' : 'unknown'
}

/** Why one that failed did, and what it wrote last. */
function lastWords({ plan, end }: RememberedApp): string[] {
  if (end?.reason == null) return []
  return ['', `${plan.name} failed: ${end.reason}`, ...end.lastWords.map((line) => `  ${line}`)]
}

export interface StatusFlags {
  json?: boolean
  prometheus?: boolean
}

export async function runStatus(name: string | undefined, flags: StatusFlags): Promise<number> {
  const { json = false, prometheus = false } = flags
  checkOption(!json || !prometheus, '--json', 'left out beside --prometheus', json)
  if (name !== undefined) checkName(name)
  const app = name === undefined ? undefined : knownApp(name)
  if (app?.end && !json && !prometheus) {
    if (!(await running()).includes(app.plan.name)) return showEnded(app)
  }
  const { services, silent, odd } =
    name === undefined
      ? await listServices('inspect')
      : { services: [await askService(name, { command: 'inspect' })], silent: [], odd: [] }
  for (const other of odd) sayOdd(other)
  for (const other of silent) process.stderr.write(`${other}: runs, but gave no answer within 3 seconds\n`)
  if (prometheus) print(serviceMetrics(services))
  else if (json) print(toJson(name === undefined ? services : services[0]))
  else if (services.length + silent.length === 0) print('No service runs for this user.\n')
  else print(services.map((service) => describeService(service)).join('\n'))
  return 0
}

function showEnded(app: RememberedApp): number {
  const { plan, end } = app
  const head = `${plan.name}: ${end?.state}, ${elapsedSince(end?.at ?? 0)} ago; "threadwise start ${plan.name}" starts it again`
  print(`${[head, `file: ${[plan.file].flat().join(' ')}`, ...lastWords(app)].map(plain).join('\n')}\n`)
  return 0
}

export async function runScale(name: string, instances: number): Promise<number> {
  checkName(name)
  checkInstances(instances)
  const { wanted } = await askService(name, { command: 'scale', instances })
  print(`${name}: ${count(wanted)}\n`)
  return 0
}

function rowOf(service: ServiceStatus): string[] {
  const { name, state, instances, wanted, pid, startedAt, crashes, renewals, file } = service
  const serving = instances.filter((instance) => instance.state === 'serving').length
  const loads = instances.flatMap(({ load }) => load ?? [])
  const sum = (of: (load: InstanceLoad) => number) => loads.reduce((total, load) => total + of(load), 0)
  const cpu = loads.length === 0 ? '-' : `${Math.round(sum((load) => load.cpu) * 100)} %`
  const memory = loads.length === 0 ? '-' : `${Math.round(sum(({ rss }) => rss) / 1024 ** 2)} MB`
  const restarts = String(crashes + renewals)
  return [
    name,
    state,
    `${serving} of ${wanted}`,
    String(pid),
    elapsedSince(startedAt),
    restarts,
    cpu,
    memory,
    file,
  ]
}

function count(instances: number): string {
  return `${instances} ${instances === 1 ? 'instance' : 'instances'}`
}

function print(text: string): void {
  process.stdout.write(text)
}
