// `threadwise serve`: what its options mean, and where the service runs.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { planApp, type AppPlan } from '../../serve/apps/app-plan.js'
import { readConfig, findConfig } from '../../serve/apps/read-config.js'
import { currentFolder } from '../../serve/contract/current-folder.js'
import type { ServeOptions } from '../../serve/contract/options.js'
import { clampInstances, resolveScaling } from '../../serve/contract/scaling-options.js'
import { checkOption } from '../../errors/check-options.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { limited, sayInTurn } from './each-service.js'
import { plain } from '../terminal/plain.js'
import { takeSystemd } from './notify-systemd.js'
import { runApps } from './run-apps.js'
import { runService } from '../background/run-service.js'
import { startBackground } from '../background/start-background.js'
import { cpuBudget, formatCpus } from '../../cpu/cpu-budget.js'
import { findServerChoice, type ServerChoice } from '../../runtime/profile/server-profile.js'
import { systemdUnit } from '../../serve/apps/systemd-unit.js'

/** Those of serve(), and those of the command. */
export interface ServeFlags extends Omit<
  ServeOptions,
  'instances' | 'args' | 'env' | 'execArgv' | 'onEvent'
> {
  instances?: number | 'max' | 'auto'
  daemon?: boolean
  logFile?: string
  logSize?: string
  logFiles?: number
  config?: string
  env?: string
  only?: string
  systemd?: boolean
  watch?: boolean
  cron?: string
  onEvent?: string
  ignoreWatch?: string[]
}

/** The exit code. */
export async function runServe(
  file: string | readonly string[] | undefined,
  args: string[],
  flags: ServeFlags,
): Promise<number> {
  checkFlags(file, flags)
  const plans = file === undefined ? await readConfig(flags, sayNote) : [planOf(file, args, flags)]
  if (flags.systemd) return printUnit(plans, { file, args, flags })
  if (flags.daemon) return startAll(plans, { isPatient: file === undefined })
  const systemd = takeSystemd()
  return plans.length === 1
    ? runService(plans[0]!, { onServing: () => systemd.ready() })
    : runApps(plans, systemd)
}

export function sayNote(text: string): void {
  process.stderr.write(`${plain(text)}\n`)
}

/** As PM2 takes it in place of a file: `ecosystem.config.js`. Run as a server, it would never listen. */
const CONFIG = /\.config\.[cm]?[jt]s$|(?:^|[\\/])ecosystem\.json$/

/** Options that choose apps of a configuration, which has all their others; and those that go with both. */
const OF_CONFIG = ['config', 'env', 'only']
const OF_BOTH = ['daemon', 'systemd']
/** All others are options of serve(). */
const OF_COMMAND = [
  ...OF_CONFIG,
  ...OF_BOTH,
  'logFile',
  'logSize',
  'logFiles',
  'watch',
  'ignoreWatch',
  'cron',
  'onEvent',
]

/** @throws TW_ERR_INVALID_OPTION */
function checkFlags(file: string | readonly string[] | undefined, flags: ServeFlags): void {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const isOfOther = OF_CONFIG.includes(name) === (file !== undefined) && !OF_BOTH.includes(name)
    const why =
      file === undefined ? 'without a file: the configuration has the options' : 'beside a file to serve'
    checkOption(!isOfOther, option, `left out ${why}`, value)
  }
  const isConfig = typeof file === 'string' && CONFIG.test(file)
  checkOption(
    !isConfig,
    'file',
    `what starts a server; a configuration is read by --config ${String(file)}`,
    file,
  )
  checkOption(!flags.systemd || !flags.daemon, '--daemon', 'left out beside --systemd', flags.daemon)
  if (flags.daemon) return
  checkOption(flags.logFile === undefined, '--log-file', 'left out without --daemon', flags.logFile)
  checkOption(flags.logSize === undefined, '--log-size', 'left out without --daemon', flags.logSize)
  checkOption(flags.logFiles === undefined, '--log-files', 'left out without --daemon', flags.logFiles)
}

/** Those that serve stay, also when others do not. Whoever starts a single file sees why it does not start, and is there. */
async function startAll(plans: readonly AppPlan[], how: { isPatient: boolean }): Promise<number> {
  const all = limited(plans, (plan) => startBackground(plan, how))
  if (plans.length > 1) return sayInTurn(plans.map(({ name }, index) => ({ name, said: all[index]! })))
  const said = await all[0]!
  process.stdout.write(said ?? '')
  return said === null ? 130 : 0
}

function planOf(file: string | readonly string[], args: string[], flags: ServeFlags): AppPlan {
  const { min, max } = flags
  const { instances, note } = instancesFor(file, flags.instances, { min, max })
  const own = Object.entries(flags).filter(([name]) => !OF_COMMAND.includes(name))
  const plan = planApp(file, { ...(Object.fromEntries(own) as ServeOptions), instances, args }, flags)
  if (note !== null) process.stderr.write(`${plan.name}: ${note}\n`)
  return plan
}

// `threadwise serve -i auto`: the number of instances that a saved measurement advises for the CPUs that are there.

export interface FoundInstances {
  readonly instances: number | 'max' | undefined
  /** What the log says about it; null where nothing was to be found. */
  readonly note: string | null
}

/**
 * @param rule the other options: with `min` or `max` the number is cut to what they allow
 * @throws TW_ERR_INVALID_OPTION when `min` or `max` is wrong; TW_ERR_PROFILE_INVALID when there is a profile that cannot be read: whoever has measured would not want the default.
 * @example instancesFor('server.js', 'auto') // { instances: 2, note: 'auto: 2 instances at 2 CPUs. Run 2 instances ...' }
 */
export function instancesFor(
  file: string | readonly string[],
  asked: number | 'max' | 'auto' | undefined,
  rule: Pick<ServeOptions, 'min' | 'max'> = {},
): FoundInstances {
  if (asked !== 'auto') return { instances: asked, note: null }
  if (typeof file !== 'string')
    return checkOption(false, 'instances', 'a number, for a command', asked) as never
  const { cpus } = cpuBudget()
  const choice = find(file, cpus)
  if (choice === null) {
    const how = `"threadwise measure --server ${file} --save" writes it`
    return { instances: 'max', note: `auto: no measurement of ${file} was found, so max is used; ${how}` }
  }
  const { instances: advised, cpus: measured, sentence, profile } = choice
  const instances = clampInstances(advised, resolveScaling(rule))
  const count = `${instances} ${instances === 1 ? 'instance' : 'instances'} at ${formatCpus(cpus)}`
  const nearest = measured === cpus ? '' : `, nearest measured limit ${formatCpus(measured)}`
  const cut = instances === advised ? '' : `, by --min and --max instead of ${advised}`
  return { instances, note: `auto: ${count}${cut}${nearest}, by ${profile}: ${sentence}` }
}

function find(file: string, cpus: number): ServerChoice | null {
  try {
    return findServerChoice(pathToFileURL(resolve(file)).href, cpus)
  } catch (error) {
    if (isThreadwiseError(error) && error.code === 'TW_ERR_PROFILE_NOT_FOUND') return null
    throw error
  }
}

// `threadwise serve --systemd`: prints a unit that serves the same as the rest of the command line.

interface ServeCommand {
  file: string | readonly string[] | undefined
  args: string[]
  flags: ServeFlags
}

/** The exit code. */
export function printUnit(plans: readonly AppPlan[], { file, args, flags }: ServeCommand): number {
  const { config, ...others } = { ...flags, systemd: undefined }
  const given = Object.entries(others).filter(([, value]) => value !== undefined)
  const all = given.map(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return value === true ? option : `${option}=${String(value)}`
  })
  if (file === undefined) all.push(`--config=${findConfig(config)}`)
  else if (typeof file !== 'string') all.push('--', ...file)
  else all.push(resolve(currentFolder(), file), ...(args.length > 0 ? ['--', ...args] : []))
  // As it was called: a link in node_modules/.bin stays right when the package is updated.
  const program = [process.execPath, ...process.execArgv, resolve(process.argv[1]!)]
  process.stdout.write(systemdUnit(plans, { program, args: all, folder: currentFolder() }))
  return 0
}
