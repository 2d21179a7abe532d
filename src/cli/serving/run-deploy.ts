// `threadwise deploy` and `reload --config`: what runs becomes as a configuration says.
//
//   of the file           of deploy              of reload --config
//   does not run          started                said
//   runs, and differs     changed, by a reload   the same
//                         or by a restart        refused where a reload is not enough
//   runs, as it says      reloaded               said
//   left the file         said; --prune: ended   -

import { checkOption } from '../../errors/check-options.js'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import { findConfig, readConfig, type ConfigChoice } from '../../serve/apps/read-config.js'
import type { AppliedChange } from '../../serve/control/control-messages.js'
import { askForAnswer } from '../../serve/control/control-client.js'
import { awaitSuccessor } from '../background/await-successor.js'
import { knownApp, knownApps } from '../background/background-record.js'
import { count, reload, stop, type StartFlags } from './change-service.js'
import { ALL, limited, running, sayInTurn } from './each-service.js'
import { sayNote } from './run-serve.js'
import { startBackground } from '../background/start-background.js'
import { ownContext } from '../background/start-context.js'

export interface ApplyFlags extends ConfigChoice, StartFlags {
  dryRun?: boolean
}

export interface DeployFlags extends Omit<ConfigChoice, 'config'>, StartFlags {
  prune?: boolean
}

/** The exit code: 0 when all apps of the file serve. */
export async function runDeploy(config: string | undefined, flags: DeployFlags): Promise<number> {
  const { prune = false, only } = flags
  checkOption(!prune || only === undefined, '--prune', 'left out beside --only', prune)
  const choice = { ...flags, ...(config !== undefined && { config }) }
  const plans = await plansOf(choice)
  const names = await running()
  const done = limited(plans, (plan) => deployOne(plan, names.includes(plan.name), flags))
  const code = await sayInTurn(plans.map(({ name }, index) => ({ name, said: done[index]! })))
  const left = only === undefined ? namesLeft(findConfig(config), plans, await running()) : []
  if (!prune)
    for (const name of left) process.stdout.write(`${name}: runs, and has left the file; --prune stops it\n`)
  const pruned = prune ? await sayInTurn(left.map((name) => ({ name, said: pruneOne(name) }))) : 0
  return Math.max(code, pruned)
}

async function deployOne(plan: AppPlan, isRunning: boolean, flags: StartFlags): Promise<string | null> {
  const { name } = plan
  // Where it does not run, it was perhaps never here; as it was started is how it is started again, unless this shell is to count.
  if (!isRunning) {
    const context = flags.updateEnv ? undefined : knownApp(name)?.start
    return startBackground(plan, { context, isPatient: true })
  }
  const env = flags.updateEnv ? ownContext().env : undefined
  const { changes = [], status } = await askForAnswer(name, { command: 'apply', plan, isTrial: true })
  const shown = describeChanges(name, changes, ' (by a restart)')
  if (changes.some(({ isApplied }) => !isApplied)) {
    const { successor } = await askForAnswer(name, { command: 'restart', plan, env })
    const { pid, instances } = await awaitSuccessor(name, successor!)
    return `${shown}${name}: restarted with these, process ${pid}, ${count(instances.length)}\n`
  }
  if (changes.length === 0 && status.kind === 'job') return `${name}: nothing has changed\n`
  if (changes.length === 0) return reload(name, flags)
  const { status: now } = await askForAnswer(name, { command: 'apply', plan, isTrial: false, env })
  return `${shown}${name}: runs with these, ${count(now.wanted)}\n`
}

async function pruneOne(name: string): Promise<string> {
  await stop(name)
  return `${name}: has left the file, and is stopped\n`
}

/** Those of this file that run, and that it does not have any more. */
function namesLeft(file: string, plans: readonly AppPlan[], names: readonly string[]): string[] {
  const kept = plans.map(({ name }) => name)
  const ofFile = knownApps().filter(({ plan }) => plan.config === file)
  return ofFile.map(({ plan }) => plan.name).filter((name) => !kept.includes(name) && names.includes(name))
}

/** What differs is shown before it is done. The exit code. */
export async function applyConfig(name: string | undefined, flags: ApplyFlags): Promise<number> {
  const { dryRun = false, updateEnv, ...choice } = flags
  const isFree = name === undefined || choice.only === undefined
  checkOption(isFree, '--only', 'left out beside a name', choice.only)
  const plans = await plansOf({ ...choice, ...(name !== undefined && name !== ALL && { only: name }) })
  const names = await running()
  const found = plans.filter((plan) => names.includes(plan.name))
  for (const plan of plans) if (!found.includes(plan)) process.stdout.write(`${plan.name}: does not run\n`)
  const doing = found.map((plan) => ({ name: plan.name, said: applyPlan(plan, dryRun, updateEnv) }))
  const worst = await sayInTurn(doing)
  return found.length === 0 ? 1 : worst
}

async function applyPlan(plan: AppPlan, isTrial: boolean, updateEnv = false): Promise<string> {
  const { name } = plan
  const env = updateEnv ? ownContext().env : undefined
  const { changes = [] } = await askForAnswer(name, { command: 'apply', plan, isTrial: true })
  const shown = describeChanges(name, changes, ' (needs a stop and a start)')
  if (changes.length === 0 && !env) return `${name}: nothing has changed\n`
  if (isTrial) return shown
  process.stdout.write(shown)
  const { status } = await askForAnswer(name, { command: 'apply', plan, isTrial: false, env })
  return `${name}: reloaded with these, ${count(status.wanted)}\n`
}

function describeChanges(name: string, changes: readonly AppliedChange[], ifFixed: string): string {
  const lines = changes.map(
    ({ option, text, isApplied }) => `${name}: ${option}: ${text}${isApplied ? '' : ifFixed}\n`,
  )
  return lines.join('')
}

/** Where no profile is named, each app keeps the one that it has: to run it with the variables of a laptop is no default. */
async function plansOf(choice: ConfigChoice): Promise<AppPlan[]> {
  const plans = await readConfig(choice, sayNote)
  if (choice.env !== undefined) return plans
  const names = await running()
  return Promise.all(
    plans.map(async (plan) => {
      const profile = await profileOf(plan, names.includes(plan.name))
      if (profile === null) return plan
      const [own] = await readConfig({ ...choice, env: profile, only: plan.name }, () => {})
      return own!
    }),
  )
}

/** That of another file does not count. */
async function profileOf({ name, config }: AppPlan, isRunning: boolean): Promise<string | null> {
  const answer = isRunning ? await askForAnswer(name, { command: 'plan' }).catch(() => undefined) : undefined
  const plan = answer?.plan ?? knownApp(name)?.plan
  return plan?.config === config ? (plan?.profile ?? null) : null
}
