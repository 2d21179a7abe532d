// `threadwise list`, `status`, `reload`, `scale` and `stop`: what they ask of a service, and what they print.

import { askService, listServices } from '../cluster/control-client.js'
import type { ServiceStatus } from '../cluster/events.js'
import { checkInstances, checkName } from '../cluster/options.js'
import { toJson } from '../report/json.js'

/** The exit code, as of all functions here. */
export async function runList(): Promise<number> {
  const services = await listServices()
  if (services.length === 0) print('No service runs for this user.\n')
  else print(table(['NAME', 'STATE', 'SERVING', 'PID', 'UP', 'FILE'], services.map(rowOf)))
  return 0
}

export async function runStatus(
  name: string | undefined,
  { json = false }: { json?: boolean },
): Promise<number> {
  if (name !== undefined) checkName(name)
  const services = name === undefined ? await listServices() : [await askService(name, { command: 'status' })]
  if (json) print(toJson(name === undefined ? services : services[0]))
  else if (services.length === 0) print('No service runs for this user.\n')
  else print(services.map(describe).join('\n'))
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

function describe(service: ServiceStatus): string {
  const { name, state, file, pid, startedAt, reloads, crashes, lastProblem, instances } = service
  const rows = instances.map((instance) => {
    return [String(instance.id), String(instance.pid), instance.state, since(instance.startedAt)]
  })
  const lines = [
    `${name}: ${state}, process ${pid}, up ${since(startedAt)}, reloads ${reloads}, crashes ${crashes}`,
    `file: ${file}`,
    ...(lastProblem === null ? [] : [`last problem: ${lastProblem}`]),
  ]
  return `${lines.join('\n')}\n${table(['INSTANCE', 'PID', 'STATE', 'UP'], rows)}`
}

function count(instances: number): string {
  return `${instances} ${instances === 1 ? 'instance' : 'instances'}`
}

function since(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

function table(head: string[], rows: string[][]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}

function print(text: string): void {
  process.stdout.write(text)
}
