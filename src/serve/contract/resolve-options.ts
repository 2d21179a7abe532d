// Makes complete settings of the options of serve(). What each may be by itself, and the defaults: option-table.ts.

import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  checkCount,
  checkNames,
  checkObject,
  checkOption,
  checkVariable,
  ownOptions,
} from '../../errors/check-options.js'
import { isUrl } from '../../primitives/any-realm.js'
import { isCookieName } from '../sticky/cookie-search.js'
import type { ServeEvent } from './events.js'
import { checkValues, SERVE_OPTIONS, valueOf } from './option-table.js'
import type { ServeOptions } from './options.js'
import {
  commandText,
  isWords,
  resolveProgram,
  type ProgramWords,
  type ServedFile,
} from './program-options.js'
import { resolveRestart, type ResolvedRestart } from './restart-options.js'
import { currentFolder } from './current-folder.js'
import type { StopSignal } from './instance-messages.js'
import { nameOf } from './service-name.js'
import { reusePortProblem } from './reuse-port.js'
import {
  clampInstances,
  mostInstances,
  resolveScaling,
  defaultInstances,
  type ScalingSettings,
} from './scaling-options.js'

const NAMES: ReadonlySet<string> = new Set(Object.keys(SERVE_OPTIONS))

/** The options of {@link serve} with their defaults, checked. */
export interface ResolvedServe extends ResolvedBalance, ResolvedRestart {
  readonly file: string
  readonly name: string
  readonly instances: number
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execArgv: readonly string[]
  /** Null: a file that listens on a port that instances share. */
  readonly program: ProgramWords | null
  /** It runs at its times, and not in between; only the command line sets it. */
  readonly isJob: boolean
  /** Each instance leads a process group of its own; not where somebody counts the group of the primary as a whole. */
  readonly hasGroups: boolean
  readonly cwd: string
  /** Null: an instance is not told its place. */
  readonly instanceVariable: string | null
  readonly incrementVariable: string | null
  readonly graceMs: number
  readonly stopSignal: StopSignal
  readonly parallel: number
  readonly readyTimeoutMs: number
  /** Null: it must listen. */
  readonly listenTimeoutMs: number | null
  readonly waitReady: boolean
  /** With a space between each two. */
  readonly health: string | null
  readonly healthIntervalMs: number
  readonly healthThreshold: number
  readonly hangTimeoutMs: number | null
  readonly maxMemory: number | null
  readonly maxRequests: number | null
  /** Null: there are as many as `instances` says. */
  readonly scaling: ScalingSettings | null
  readonly onEvent: (event: ServeEvent) => void
  /** Takes the output of each instance; only the command line sets it. */
  readonly collect?: (instance: number, child: ChildProcess) => void
}

/** Which instance gets a connection. */
interface ResolvedBalance {
  /** Null: connections go in turn. Cookie null: by address. */
  readonly stickyBy: { readonly cookie: string | null } | null
  readonly reusePort: boolean
}

/** Less than Node itself takes. */
const MIN_MEMORY = 32 * 1024 ** 2

/** @throws TW_ERR_INVALID_OPTION */
export function resolveServeOptions(file: ServedFile, given: ServeOptions): ResolvedServe {
  checkObject('options', given)
  const options = ownOptions(given)
  checkNames(options, NAMES)
  checkValues(options)
  const path = isWords(file) ? commandText(file) : resolveFile(file)
  const program = resolveProgram(file, path, options)
  const scaling = resolveScaling(options)
  return {
    file: path,
    name: options.name ?? nameOf(isWords(file) ? file[0]! : path),
    args: options.args ?? [],
    env: checkedVariables('env', options.env === undefined ? {} : options.env),
    execArgv: options.execArgv ?? process.execArgv,
    waitReady: valueOf(options, 'waitReady'),
    onEvent: options.onEvent ?? ignore,
    ...resolveHealth(options),
    graceMs: valueOf(options, 'grace'),
    readyTimeoutMs: valueOf(options, 'readyTimeout'),
    listenTimeoutMs: options.listenTimeout ?? null,
    ...resolvePlace(options),
    ...resolveChange(options),
    program,
    isJob: false,
    hasGroups: true,
    ...resolveRestart(options),
    ...resolveLimits(options, program),
    ...resolveBalance(options),
    scaling,
    instances: countOf(options.instances === undefined && program ? 1 : options.instances, scaling),
  }
}

/** Where an instance runs, and how it knows which one it is. */
function resolvePlace({ cwd, instanceVariable, incrementVariable, env = {} }: ServeOptions) {
  const folder = resolve(currentFolder(), cwd ?? '')
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  checkOption(isFolder, 'cwd', 'a folder that exists', folder)
  const first =
    incrementVariable === undefined ? 0 : (env[incrementVariable] ?? process.env[incrementVariable])
  checkOption(
    Number.isSafeInteger(Number(first ?? NaN)),
    'incrementVariable',
    'a variable of env that is a whole number',
    first,
  )
  return {
    cwd: folder,
    instanceVariable: instanceVariable ?? null,
    incrementVariable: incrementVariable ?? null,
  }
}

/** How instances are replaced and ended. */
function resolveChange(options: ServeOptions) {
  const parallel = valueOf(options, 'parallel')
  checkCount('parallel', parallel, mostInstances().count)
  return { stopSignal: valueOf(options, 'stopSignal'), parallel }
}

function resolveHealth(options: ServeOptions) {
  const { health } = options
  const paths = health === undefined ? undefined : targetsOf(health)
  const isPath = paths === undefined || (paths.length > 0 && paths.every((path) => isTarget(path)))
  checkOption(
    isPath,
    'health',
    'a path that begins with /, a port and a path such as :3000/health, or a list of these',
    health,
  )
  for (const name of ['healthInterval', 'healthThreshold'] as const)
    checkOption(
      health !== undefined || options[name] === undefined,
      name,
      'left out without health',
      options[name],
    )
  return {
    health: paths?.join(' ') ?? null,
    healthIntervalMs: valueOf(options, 'healthInterval'),
    healthThreshold: valueOf(options, 'healthThreshold'),
  }
}

/** On the command line a list has commas. No path has a space, which is between them from here on. */
function targetsOf(health: unknown): unknown[] {
  return typeof health === 'string'
    ? health.split(/,(?=[:/])/)
    : Array.isArray(health)
      ? (health as unknown[])
      : [health]
}

function isTarget(text: unknown): boolean {
  const [found, port = '1'] = typeof text === 'string' ? (/^(?::(\d{1,5}))?\/[!-~]*$/.exec(text) ?? []) : []
  return found !== undefined && Number(port) >= 1 && Number(port) <= 65_535
}

/** When an instance is replaced although it runs. */
function resolveLimits({ hangTimeout, maxMemory, maxRequests }: ServeOptions, program: ProgramWords | null) {
  const bytes = maxMemory === undefined ? null : sizeInBytes(maxMemory)
  const isNode = program === null || program.hasChannel
  const isSize = bytes === null || bytes >= (isNode ? MIN_MEMORY : 1)
  const expectedSize = `a number of bytes, or a size such as "300m" or "1g"${isNode ? ', of at least 32m' : ''}`
  checkOption(isSize, 'maxMemory', expectedSize, maxMemory)
  return { hangTimeoutMs: hangTimeout ?? null, maxMemory: bytes, maxRequests: maxRequests ?? null }
}

/** Which instance gets a connection. */
function resolveBalance(options: ServeOptions): ResolvedBalance {
  const { sticky } = options
  const reusePort = valueOf(options, 'reusePort')
  const stickyBy = resolveSticky(sticky)
  const isAlone = stickyBy === null || !reusePort
  checkOption(isAlone, 'sticky', 'left out beside reusePort, where the kernel decides', sticky)
  const problem = reusePort ? reusePortProblem() : null
  checkOption(problem === null, 'reusePort', `left out: ${problem}`, reusePort)
  return { stickyBy, reusePort }
}

function resolveSticky(sticky: unknown): ResolvedBalance['stickyBy'] {
  if (sticky === undefined) return null
  if (sticky === 'address') return { cookie: null }
  const [, name = ''] = /^cookie=(.*)$/s.exec(String(sticky)) ?? []
  const expected = '"address", or "cookie=NAME" with a name of letters, digits and any of !#$%&\'*+-.^_`|~'
  checkOption(typeof sticky === 'string' && isCookieName(name), 'sticky', expected, sticky)
  // There a read that has begun cannot be taken back.
  checkOption(process.platform !== 'win32', 'sticky', '"address" on Windows', sticky)
  return { cookie: name }
}

/** NaN when it is no size. */
export function sizeInBytes(size: unknown): number {
  if (typeof size === 'number') return Number.isFinite(size) ? size : NaN
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(String(size)) ?? []
  return Number(count) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase())
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkInstances(
  instances: unknown,
  scaling: ScalingSettings | null = null,
): asserts instances is number {
  const most = mostInstances()
  const { min, max } = scaling ?? { min: 1, max: most.count }
  const isCount = Number.isInteger(instances) && Number(instances) >= min && Number(instances) <= max
  checkOption(
    isCount,
    'instances',
    `a whole number from ${min} to ${max === most.count ? most.text : max}, or "max"`,
    instances,
  )
}

function countOf(instances: unknown, scaling: ScalingSettings | null): number {
  const isMax = instances === 'max' || (instances === undefined && scaling === null)
  const count = isMax ? clampInstances(defaultInstances(), scaling) : instances
  const wanted = count === undefined ? scaling?.min : count
  checkInstances(wanted, scaling)
  return wanted
}

/** Links are not followed here, so that a reload starts what they lead to by then. */
function resolveFile(file: unknown): string {
  const isPath = (typeof file === 'string' && file !== '') || (isUrl(file) && file.protocol === 'file:')
  checkOption(isPath, 'file', 'a path or a file: URL', file)
  const isByUrl = isUrl(file) || /^file:/.test(String(file))
  const path = isByUrl ? fileURLToPath(file as URL) : resolve(currentFolder(), String(file))
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  checkOption(isFile, 'file', 'a file that exists', path)
  return path
}

/** Configurations have numbers and booleans too, and mean their text. What is kept as JSON has null for undefined: a variable that is not inherited. */
export function checkedVariables(option: string, variables: unknown): Record<string, string | undefined> {
  checkObject(option, variables, 'an object of variables')
  const pairs = Object.entries(variables as object).map(([name, value]: [string, unknown]) => {
    const isNone = value === undefined || value === null
    const isText = isNone || ['string', 'number', 'boolean'].includes(typeof value)
    checkOption(isText, `${option}.${name}`, 'text, a number or a boolean', value)
    const text = isNone ? undefined : String(value)
    checkVariable(option, name, text)
    return [name, text] as const
  })
  return Object.fromEntries(pairs)
}

function ignore(): void {}
