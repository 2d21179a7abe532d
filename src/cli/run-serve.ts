// `threadwise serve`: what its options mean, and where the service runs.

import { instancesFor } from './auto-instances.js'
import { planApp, type AppPlan } from '../apps/app-plan.js'
import { readConfig } from '../apps/read-config.js'
import type { ServeOptions } from '../cluster/options.js'
import { checkOption, isThreadwiseError } from '../errors.js'
import { printUnit } from './print-unit.js'
import { runApps } from './run-apps.js'
import { runService } from './run-service.js'
import { startBackground } from './start-background.js'

/** Those of serve(), and those of the command. */
export interface ServeFlags extends Omit<
  ServeOptions,
  'instances' | 'args' | 'env' | 'execArgv' | 'onEvent'
> {
  instances?: number | 'max' | 'auto'
  daemon?: boolean
  logSize?: string
  logFiles?: number
  config?: string
  env?: string
  only?: string
  systemd?: boolean
  watch?: boolean
  cron?: string
}

/** The exit code. */
export async function runServe(file: string | undefined, args: string[], flags: ServeFlags): Promise<number> {
  checkFlags(file, flags)
  const plans = file === undefined ? await readConfig(flags) : [planOf(file, args, flags)]
  if (flags.systemd) return printUnit(plans, { file, args, flags })
  if (flags.daemon) return startAll(plans)
  return plans.length === 1 ? runService(plans[0]!) : runApps(plans)
}

/** Options that choose apps of a configuration, which has all their others; and those that go with both. */
const OF_CONFIG = ['config', 'env', 'only']
const OF_BOTH = ['daemon', 'systemd']
/** All others are options of serve(). */
const OF_COMMAND = [...OF_CONFIG, ...OF_BOTH, 'logSize', 'logFiles', 'watch', 'cron']

/** @throws TW_ERR_INVALID_OPTION */
function checkFlags(file: string | undefined, flags: ServeFlags): void {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const isOfOther = OF_CONFIG.includes(name) === (file !== undefined) && !OF_BOTH.includes(name)
    const why =
      file === undefined ? 'without a file: the configuration has the options' : 'beside a file to serve'
    checkOption(!isOfOther, option, `left out ${why}`, value)
  }
  checkOption(!flags.systemd || !flags.daemon, '--daemon', 'left out beside --systemd', flags.daemon)
  if (flags.daemon) return
  checkOption(flags.logSize === undefined, '--log-size', 'left out without --daemon', flags.logSize)
  checkOption(flags.logFiles === undefined, '--log-files', 'left out without --daemon', flags.logFiles)
}

/** Those that serve stay, also when others do not. */
async function startAll(plans: readonly AppPlan[]): Promise<number> {
  let worst = 0
  for (const plan of plans) {
    try {
      const code = await startBackground(plan)
      if (code === 130) return code
    } catch (error) {
      if (plans.length === 1 || !isThreadwiseError(error)) throw error
      process.stderr.write(`${plan.name}: ${error.message} [${error.code}]\n`)
      worst = 1
    }
  }
  return worst
}

function planOf(file: string, args: string[], flags: ServeFlags): AppPlan {
  const { min, max } = flags
  const { instances, note } = instancesFor(file, flags.instances, { min, max })
  const own = Object.entries(flags).filter(([name]) => !OF_COMMAND.includes(name))
  const plan = planApp(file, { ...(Object.fromEntries(own) as ServeOptions), instances, args }, flags)
  if (note !== null) process.stderr.write(`${plan.name}: ${note}\n`)
  return plan
}
