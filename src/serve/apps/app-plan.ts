// What is to be served, and how: from the arguments of a command or from a configuration, checked.

import { resolve } from 'node:path'
import { checkCount, checkOption, checkText, checkTexts } from '../../errors/check-options.js'
import { currentFolder } from '../contract/current-folder.js'
import type { ServeOptions } from '../contract/options.js'
import { sizeInBytes, resolveServeOptions } from '../contract/resolve-options.js'
import { checkCron } from './cron.js'
import { splitWords } from './split-words.js'
import type { LogLimits } from '../logs/rotating-file.js'

/** Plain data: it is sent to the process that serves, and kept as JSON. */
export interface AppPlan {
  readonly name: string
  /** An absolute path, or the words of a command. */
  readonly file: string | readonly string[]
  readonly options: Omit<ServeOptions, 'onEvent'>
  readonly log: LogPlan
  /** Reload when the files beside it change, or those of a list: watch-listed.ts. */
  readonly watch: boolean | readonly string[]
  /** Of these files and folders changes are passed over: paths-like.ts. */
  readonly ignoreWatch?: readonly string[]
  /** When to reload, or when to run a job, in the form of cron. */
  readonly cron: string | null
  /** The words of a command that is told of trouble. */
  readonly onEvent?: readonly string[] | null
  /** The configuration that it is from, and the profile that was chosen there; null for one from the command line. */
  readonly config?: string | null
  readonly profile?: string | null
}

/** Whether it runs at its times, and not in between: what has no port, and ends by itself. */
export function isJob({ file, options, cron }: AppPlan): boolean {
  const { program, restart } = resolveServeOptions(file, options)
  return cron !== null && program !== null && restart !== 'always'
}

export interface LogPlan extends LogLimits {
  /** Null: where all logs are. */
  readonly path: string | null
}

/** Options of an app besides those of `serve()`. */
export interface AppExtras {
  logFile?: string
  logSize?: number | string
  logFiles?: number
  watch?: boolean | string[]
  ignoreWatch?: string[]
  cron?: string
  onEvent?: string | string[]
}

const MIN_LOG_BYTES = 1024
const MAX_LOG_FILES = 1000

/** @throws TW_ERR_INVALID_OPTION */
export function planApp(
  file: string | readonly string[],
  options: AppPlan['options'],
  extras: AppExtras = {},
): AppPlan {
  const { name, file: path, program, cwd } = resolveServeOptions(file, options)
  const { watch = false, ignoreWatch, cron, onEvent } = extras
  if (typeof watch !== 'boolean') checkWatched(watch)
  if (cron !== undefined) checkCron(cron)
  if (ignoreWatch !== undefined) {
    checkTexts('ignoreWatch', ignoreWatch)
    checkOption(
      ignoreWatch.every((text) => text !== ''),
      'ignoreWatch',
      'names of files and folders',
      ignoreWatch,
    )
  }
  const isWatched = watch !== false
  checkOption(
    !isWatched || program === null || !Array.isArray(file),
    'watch',
    'left out beside a command',
    watch,
  )
  const own = {
    watch,
    cron: cron ?? null,
    log: resolveLog(extras),
    ...(ignoreWatch && { ignoreWatch }),
    ...(onEvent !== undefined && { onEvent: commandOf(onEvent) }),
  }
  const plain = { ...options, ...(options.env && { env: withoutUndefined(options.env) }), name, cwd }
  return { name, file: Array.isArray(file) ? file : path, options: plain, ...own }
}

function checkWatched(watch: unknown): void {
  const isList =
    Array.isArray(watch) && watch.length > 0 && watch.every((one) => typeof one === 'string' && one !== '')
  checkOption(isList, 'watch', 'true, false, or a list of files and folders', watch)
}

/** Its words, without a shell. */
function commandOf(given: string | string[]): string[] {
  const words = typeof given === 'string' ? splitWords(given) : given
  checkTexts('onEvent', words)
  checkOption(words.length > 0 && words[0] !== '', 'onEvent', 'a command', given)
  return words
}

/** JSON leaves a variable out that is undefined, and instances would inherit it after all; null says the same, and stays. */
function withoutUndefined(env: NonNullable<ServeOptions['env']>): NonNullable<ServeOptions['env']> {
  const pairs = Object.entries(env).map(([name, value]) => [name, value ?? null] as const)
  return Object.fromEntries(pairs)
}

function resolveLog({ logFile, logSize = '10m', logFiles = 5 }: AppExtras): LogPlan {
  checkText('logFile', logFile, 'a path')
  const size = Math.floor(sizeInBytes(logSize))
  const isSize = size >= MIN_LOG_BYTES
  checkOption(isSize, 'logSize', 'a number of bytes, or a size such as "10m", of at least 1k', logSize)
  checkCount('logFiles', logFiles, MAX_LOG_FILES, 2)
  return { size, files: logFiles, path: logFile === undefined ? null : resolve(currentFolder(), logFile) }
}
