// `threadwise start`, `restart`, `stop`, `reload` and `delete`: for one service by its name, or for `all`.

import { checkOption } from '../../errors/check-options.js'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import { readConfig, type ConfigChoice } from '../../serve/apps/read-config.js'
import { forgetApp } from '../../serve/apps/remembered.js'
import { checkName } from '../../serve/contract/resolve-options.js'
import { askForAnswer, askService, listServices } from '../../serve/control/control-client.js'
import { stopService } from '../../serve/control/stop-service.js'
import { logFolder } from '../../serve/logs/log-folder.js'
import { inBackground, knownApp, knownApps, remember } from './background-record.js'
import { sayNote } from './run-serve.js'
import { startBackground } from './start-background.js'

const ALL = 'all'

/** The exit code, as of all functions here. */
export function runStart(name: string): Promise<number> {
  return forEach(name, ended, async (one) => {
    const app = knownApp(one)
    if (app === undefined) throw await notRemembered(one)
    await startBackground(app.plan)
  })
}

/** Ends it and starts it again: with a gap, and with whatever has changed. */
export function runRestart(name: string): Promise<number> {
  return forEach(name, known, async (one) => {
    const app = knownApp(one)
    if (app === undefined) throw await notRemembered(one)
    if ((await running()).includes(one)) await stop(one)
    await startBackground(app.plan)
  })
}

export function runStop(name: string): Promise<number> {
  return forEach(name, running, async (one) => {
    await stop(one)
    print(`${one}: stopped\n`)
  })
}

const stop = (name: string) => stopService(name, (text) => process.stderr.write(`${name}: ${text}\n`))

/** Also from the list. Its log stays. */
export function runDelete(name: string): Promise<number> {
  return forEach(name, known, async (one) => {
    const isRemembered = knownApp(one) !== undefined
    if (!isRemembered || (await running()).includes(one)) await stop(one)
    forgetApp(logFolder(), one)
    print(`${one}: deleted\n`)
  })
}

export interface ReloadFlags extends ConfigChoice {
  dryRun?: boolean
}

export async function runReload(name: string | undefined, flags: ReloadFlags): Promise<number> {
  const { config, env, only, dryRun } = flags
  const isByConfig = [config, env, only, dryRun].some((value) => value !== undefined)
  if (isByConfig) return applyConfig(name, flags)
  checkOption(name !== undefined, 'name', 'the name of a service, or all; or use --config', name)
  return forEach(name!, running, async (one) => {
    const { instances, kind } = await askService(one, { command: 'reload' })
    if (kind === 'job' && instances.length === 0) print(`${one}: does not run now; its next run is of what is there then\n`)
    else if (kind === 'server') print(`${one}: reloaded, ${count(instances.length)}\n`)
    else print(`${one}: restarted, ${count(instances.length)}, with a gap: it has no port that an old and a new one could share\n`) // prettier-ignore
  })
}

/** What differs is shown before it is done. */
async function applyConfig(
  name: string | undefined,
  { dryRun = false, ...choice }: ReloadFlags,
): Promise<number> {
  checkOption(
    name === undefined || choice.only === undefined,
    '--only',
    'left out beside a name',
    choice.only,
  )
  const plans = await readConfig(
    { ...choice, ...(name !== undefined && name !== ALL && { only: name }) },
    sayNote,
  )
  const names = await running()
  const found = plans.filter((plan) => names.includes(plan.name))
  for (const plan of plans) if (!found.includes(plan)) print(`${plan.name}: does not run\n`)
  let worst = 0
  for (const plan of found) worst = Math.max(worst, await told(plan.name, () => applyPlan(plan, dryRun)))
  return found.length === 0 ? 1 : worst
}

async function applyPlan(given: AppPlan, isTrial: boolean): Promise<void> {
  const { name } = given
  const app = knownApp(name)
  const plan = app === undefined ? given : inBackground(given)
  const request = { command: 'apply', file: plan.file, options: plan.options } as const
  const { changes = [] } = await askForAnswer(name, { ...request, isTrial: true })
  for (const { option, text, isApplied } of changes)
    print(`${name}: ${option}: ${text}${isApplied ? '' : ' (needs a stop and a start)'}\n`)
  if (changes.length === 0) print(`${name}: nothing has changed\n`)
  if (isTrial || changes.length === 0) return
  const { status } = await askForAnswer(name, { ...request, isTrial: false })
  if (app) remember({ ...app, plan }, (text) => process.stderr.write(`${name}: ${text}\n`))
  print(`${name}: reloaded with these, ${count(status.wanted)}\n`)
}

async function forEach(
  name: string,
  all: () => Promise<string[]>,
  action: (name: string) => Promise<unknown>,
): Promise<number> {
  if (name !== ALL) {
    checkName(name)
    await action(name)
    return 0
  }
  const names = await all()
  if (names.length === 0) print('There is none.\n')
  let worst = 0
  for (const one of names) worst = Math.max(worst, await told(one, () => action(one)))
  return worst
}

/** One that fails does not keep the others from their turn. */
async function told(name: string, action: () => Promise<unknown>): Promise<number> {
  try {
    await action()
    return 0
  } catch (error) {
    if (!isThreadwiseError(error)) throw error
    process.stderr.write(`${name}: ${error.message} [${error.code}]\n`)
    return 1
  }
}

async function running(): Promise<string[]> {
  const { services, silent } = await listServices()
  return [...services.map(({ name }) => name), ...silent].sort()
}

async function known(): Promise<string[]> {
  const remembered = knownApps().map(({ plan }) => plan.name)
  return [...new Set([...(await running()), ...remembered])].sort()
}

async function ended(): Promise<string[]> {
  const names = await running()
  return (await known()).filter((name) => !names.includes(name))
}

async function notRemembered(name: string): Promise<ThreadwiseError> {
  const all = knownApps().map(({ plan }) => plan.name)
  return new ThreadwiseError('TW_ERR_SERVICE_NOT_FOUND', { name, running: await running(), remembered: all })
}

function count(instances: number): string {
  return `${instances} ${instances === 1 ? 'instance' : 'instances'}`
}

function print(text: string): void {
  process.stdout.write(text)
}
