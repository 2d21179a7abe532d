// Checks a configuration and makes a plan of each of its apps. Each message names the app and the option.

import { resolve } from 'node:path'
import { checkOption } from '../../errors/check-options.js'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { unknownName } from '../../errors/nearest.js'
import { planApp, type AppPlan } from './app-plan.js'
import { SERVE_OPTIONS } from '../contract/option-table.js'
import type { ServeOptions } from '../contract/options.js'
import { checkedVariables } from '../contract/resolve-options.js'
import type { AppConfig } from './config.js'

/** What an app has besides the options of serve(). Complete by its type. */
const OWN: Record<Exclude<keyof Required<AppConfig>, keyof ServeOptions>, true> = {
  file: true,
  command: true,
  envProfiles: true,
  logFile: true,
  logSize: true,
  logFiles: true,
  watch: true,
  ignoreWatch: true,
  cron: true,
}

const NAMES = Object.keys({ ...OWN, ...SERVE_OPTIONS })

export interface ConfigPlace {
  readonly file: string
  /** Paths of apps are from here. */
  readonly folder: string
  readonly profile: string | undefined
}

/**
 * @throws TW_ERR_CONFIG_INVALID
 * @throws TW_ERR_INVALID_OPTION when no app has the profile
 */
export function planConfig(config: unknown, place: ConfigPlace): AppPlan[] {
  const { file } = place
  const { apps, ...others } = isRecord(config)
    ? config
    : fail(file, 'it must give { apps: [...] } as its default export')
  const unknown = unknownName(others, ['apps'])
  if (unknown !== undefined) fail(file, `${unknown} is not known; it has apps`)
  if (!Array.isArray(apps) || apps.length === 0) fail(file, 'apps must be a list of at least one app')
  const list = apps as unknown[]
  const plans = list.map((app, index) => planOne(app, index, place))
  const names = plans.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) fail(file, `two apps have the name "${twice}"; give one of them another name`)
  checkProfile(list as AppConfig[], place)
  return plans
}

function planOne(app: unknown, index: number, { file, folder, profile }: ConfigPlace): AppPlan {
  const which =
    isRecord(app) && typeof app.name === 'string' ? `apps[${index}] ("${app.name}")` : `apps[${index}]`
  if (!isRecord(app)) return fail(file, `${which} must be an object with file and options`)
  const unknown = unknownName(app, NAMES)
  if (unknown !== undefined)
    fail(file, `${which}: ${unknown} is not an option; there are ${NAMES.join(', ')}`)
  const { file: path, command, envProfiles = {}, ...own } = app as unknown as AppConfig
  const { logFile, logSize, logFiles, watch, ignoreWatch, cron, onEvent, ...options } = own
  checkParts(app, which, file)
  const env = { ...options.env, ...(profile === undefined ? {} : envProfiles[profile]) }
  const place = options.cwd === undefined ? {} : { cwd: resolve(folder, options.cwd) }
  return attempt(file, which, () =>
    planApp(
      command ?? resolve(folder, path!),
      { ...options, ...place, env },
      {
        ...(logFile !== undefined && { logFile: resolve(folder, logFile) }),
        logSize,
        logFiles,
        watch,
        ignoreWatch,
        cron,
        onEvent,
      },
    ),
  )
}

/** What is no option of serve(). */
function checkParts(app: AppConfig, which: string, file: string): void {
  const { file: path, command, envProfiles = {}, env = {} } = app
  const hasOne = command === undefined ? typeof path === 'string' && path !== '' : path === undefined
  if (!hasOne) fail(file, `${which}: it needs a file (a path) or a command (a list of words), one of the two`)
  if (command !== undefined && !Array.isArray(command))
    fail(file, `${which}: command must be a list of words`)
  if (typeof app.onEvent === 'function')
    fail(file, `${which}: onEvent is not an option as a function; a command is, by its words`)
  if (!isRecord(envProfiles)) fail(file, `${which}: envProfiles must be an object of profiles`)
  for (const [name, variables] of [['env', env], ...Object.entries(envProfiles)] as const)
    attempt(file, which, () => checkedVariables(name === 'env' ? 'env' : `envProfiles.${name}`, variables))
}

/** Whatever is wrong with an option is wrong with the configuration. */
function attempt<T>(file: string, which: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (!isThreadwiseError(error)) throw error
    return fail(file, `${which}: ${error.message.replace(/\.$/, '')}`)
  }
}

function checkProfile(apps: readonly AppConfig[], { file, profile }: ConfigPlace): void {
  if (profile === undefined) return
  const known = [...new Set(apps.flatMap(({ envProfiles = {} }) => Object.keys(envProfiles)))]
  const expected =
    known.length > 0 ? `a profile of ${file}: ${known.join(', ')}` : `left out: ${file} has no envProfiles`
  checkOption(known.includes(profile), '--env', expected, profile)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fail(file: string, reason: string): never {
  throw new ThreadwiseError('TW_ERR_CONFIG_INVALID', { file, reason })
}
