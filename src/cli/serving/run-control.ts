// `threadwise list`, `status`, `reload`, `scale` and `stop`: what they ask of a service, and what they print.

import { checkOption } from '../../errors/check-options.js'
import { askService, listServices } from '../../serve/control/control-client.js'
import type { ServiceStatus } from '../../serve/contract/events.js'
import { checkInstances, checkName } from '../../serve/contract/resolve-options.js'
import { serviceMetrics } from '../../serve/control/service-metrics.js'
import { toJson } from '../../measure/report/figures/json.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'
import { describeService, since } from './service-table.js'

/** The exit code, as of all functions here. */
export async function runList(): Promise<number> {
  const { services, silent } = await listServices()
  const rows = [...services.map(rowOf), ...silent.map((name) => [name, 'no answer'])]
  if (rows.length === 0) print('No service runs for this user.\n')
  else print(`${alignColumns([['NAME', 'STATE', 'SERVING', 'PID', 'UP', 'FILE'], ...rows]).join('\n')}\n`)
  return 0
}

export interface StatusFlags {
  json?: boolean
  prometheus?: boolean
}

export async function runStatus(name: string | undefined, flags: StatusFlags): Promise<number> {
  const { json = false, prometheus = false } = flags
  checkOption(!json || !prometheus, '--json', 'left out beside --prometheus', json)
  if (name !== undefined) checkName(name)
  const { services, silent } =
    name === undefined
      ? await listServices('inspect')
      : { services: [await askService(name, { command: 'inspect' })], silent: [] }
  for (const other of silent) process.stderr.write(`${other}: runs, but gave no answer within 3 seconds\n`)
  if (prometheus) print(serviceMetrics(services))
  else if (json) print(toJson(name === undefined ? services : services[0]))
  else if (services.length + silent.length === 0) print('No service runs for this user.\n')
  else print(services.map(describeService).join('\n'))
  return 0
}

export async function runReload(name: string): Promise<number> {
  checkName(name)
  const { instances } = await askService(name, { command: 'reload' })
  print(`${name}: reloaded, ${count(instances.length)}\n`)
  return 0
}

export async function runScale(name: string, instances: number): Promise<number> {
  checkName(name)
  checkInstances(instances)
  const { wanted } = await askService(name, { command: 'scale', instances })
  print(`${name}: ${count(wanted)}\n`)
  return 0
}

export async function runStop(name: string): Promise<number> {
  checkName(name)
  await askService(name, { command: 'stop' })
  print(`${name}: stopped\n`)
  return 0
}

function rowOf({ name, state, instances, wanted, pid, startedAt, file }: ServiceStatus): string[] {
  const serving = instances.filter((instance) => instance.state === 'serving').length
  return [name, state, `${serving} of ${wanted}`, String(pid), since(startedAt), file]
}

function count(instances: number): string {
  return `${instances} ${instances === 1 ? 'instance' : 'instances'}`
}

function print(text: string): void {
  process.stdout.write(text)
}
