// Reads a configuration: finds its file, loads it, and makes a plan of each app.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { currentFolder } from '../contract/current-folder.js'
import type { AppPlan } from './app-plan.js'
import { parseLooseJson } from './loose-json.js'
import { faultOfPm2, fromPm2, isOfPm2 } from './from-pm2.js'
import { planConfig, type ConfigPlace } from './plan-config.js'

const NAMES = ['js', 'mjs', 'ts', 'json'].map((ending) => `threadwise.config.${ending}`)

export interface ConfigChoice {
  /** The file; without it one of the usual names in the current folder. */
  config?: string
  /** The profile of `envProfiles` to use. */
  env?: string
  /** The name of the only app to start. */
  only?: string
}

/**
 * `note` is told what of a configuration of PM2 has no effect.
 *
 * @throws TW_ERR_CONFIG_NOT_FOUND (as a rejection)
 * @throws TW_ERR_CONFIG_INVALID (as a rejection)
 * @throws TW_ERR_INVALID_OPTION (as a rejection) when there is no such app or profile
 */
export async function readConfig(choice: ConfigChoice, note: (text: string) => void): Promise<AppPlan[]> {
  const { config, env, only } = choice
  const file = findConfig(config)
  const loaded = await load(file)
  const place = { file, folder: dirname(file), profile: env }
  const found = isOfPm2(loaded) ? planPm2(loaded, place, note) : planConfig(loaded, place)
  const plans = found.map((plan) => ({ ...plan, config: file, profile: env ?? null }))
  const names = plans.map(({ name }) => name)
  checkOption(
    only === undefined || names.includes(only),
    '--only',
    `an app of ${file}: ${names.join(', ')}`,
    only,
  )
  return only === undefined ? plans : plans.filter(({ name }) => name === only)
}

/** An app of PM2 without the profile has none: there each app may have others. */
function planPm2(config: unknown, place: ConfigPlace, note: (text: string) => void): AppPlan[] {
  const folder = currentFolder()
  const fault = faultOfPm2(config)
  if (fault !== undefined) return invalid(place.file, fault)
  const { apps, notes } = fromPm2(config, folder)
  note(`${place.file}: read as a configuration of PM2`)
  for (const text of notes) note(`  ${text}`)
  const hasProfile = apps.some(({ envProfiles = {} }) => Object.hasOwn(envProfiles, place.profile ?? ''))
  if (hasProfile || place.profile === undefined) return planConfig({ apps }, { ...place, folder })
  note(`  --env ${place.profile}: no app has env_${place.profile}, so each has its env alone, as in PM2`)
  return planConfig({ apps }, { ...place, folder, profile: undefined })
}

/** @throws TW_ERR_CONFIG_NOT_FOUND, TW_ERR_CONFIG_INVALID */
export function findConfig(given: string | undefined): string {
  const folder = currentFolder()
  const found = given === undefined ? NAMES.map((name) => join(folder, name)) : [resolve(folder, given)]
  const files = found.filter((file) => existsSync(file))
  if (files.length > 1)
    invalid(files[0]!, `${files.slice(1).join(' and ')} is there too; keep one, or choose with --config`)
  if (files[0] === undefined) {
    const searched = given === undefined ? `${folder} (${NAMES.join(', ')})` : found[0]!
    throw new ThreadwiseError('TW_ERR_CONFIG_NOT_FOUND', { searched })
  }
  return files[0]
}

async function load(file: string): Promise<unknown> {
  try {
    const ending = extname(file)
    if (ending === '.json') return parseLooseJson(textOf(file))
    if (ending === '.yml' || ending === '.yaml')
      return (await import('./parse-yaml.js')).parseYaml(textOf(file))
    const given = givenBy((await import(pathToFileURL(file).href)) as Loaded)
    return typeof given === 'function' ? await (given as () => unknown)() : given
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const isForeign = code === 'ERR_UNKNOWN_FILE_EXTENSION'
    return invalid(file, isForeign ? whyForeign(extname(file)) : `it cannot be loaded (${message})`, cause)
  }
}

/** Some editors put a mark of the byte order before it. */
function textOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
}

interface Loaded {
  readonly default?: Loaded
  readonly __esModule?: boolean
}

/** The default export, also of a module that was compiled to CommonJS; one that only exports `apps` gives itself. */
function givenBy(loaded: Loaded): unknown {
  const given = loaded.default ?? loaded
  return given.__esModule === true ? (given.default ?? given) : given
}

function whyForeign(ending: string): string {
  if (/^\.[cm]?tsx?$/.test(ending))
    return `Node ${process.version} does not run TypeScript; use Node 22.18 or newer, or a .js file`
  return 'a configuration ends in .js, .mjs, .cjs, .ts, .json, .yml or .yaml'
}

function invalid(file: string, reason: string, cause?: unknown): never {
  throw new ThreadwiseError('TW_ERR_CONFIG_INVALID', { file, reason }, { cause })
}
