// What is to be served, and how: from the arguments of a command or from a configuration, checked.

import { checkCount, checkOption } from '../../errors/check-options.js'
import type { ServeOptions } from '../contract/options.js'
import { bytesOf, resolveServeOptions } from '../contract/resolve-options.js'
import { checkCron } from './cron.js'
import type { LogLimits } from '../logs/rotating-file.js'

/** Plain data: it is sent to the process that serves. */
export interface AppPlan {
  readonly name: string
  /** An absolute path. */
  readonly file: string
  readonly options: Omit<ServeOptions, 'onEvent'>
  readonly log: LogLimits
  /** Reload when the files beside it change. */
  readonly watch: boolean
  /** When to reload, in the form of cron. */
  readonly cron: string | null
}

/** Options of an app besides those of `serve()`. */
export interface AppExtras {
  logSize?: number | string
  logFiles?: number
  watch?: boolean
  cron?: string
}

const MIN_LOG_BYTES = 1024
const MAX_LOG_FILES = 1000

/** @throws TW_ERR_INVALID_OPTION */
export function planApp(file: string, options: AppPlan['options'], extras: AppExtras = {}): AppPlan {
  const { name, file: path } = resolveServeOptions(file, options)
  const { watch = false, cron } = extras
  checkOption(typeof watch === 'boolean', 'watch', 'true or false', watch)
  if (cron !== undefined) checkCron(cron)
  const own = { watch, cron: cron ?? null, log: resolveLog(extras) }
  return { name, file: path, options: { ...options, name }, ...own }
}

function resolveLog({ logSize = '10m', logFiles = 5 }: AppExtras): LogLimits {
  const size = Math.floor(bytesOf(logSize))
  const isSize = size >= MIN_LOG_BYTES
  checkOption(isSize, 'logSize', 'a number of bytes, or a size such as "10m", of at least 1k', logSize)
  checkCount('logFiles', logFiles, MAX_LOG_FILES, 2)
  return { size, files: logFiles }
}
