// The form of threadwise.config.js: several apps, each with the options of serve().

import type { ServeOptions } from '../contract/options.js'

/** What `threadwise serve` reads from `threadwise.config.js` (or `.mjs`, `.ts`, `.json`). */
export interface ServeConfig {
  /** At least one; their names must differ. */
  apps: AppConfig[]
}

/** An app: the options of `serve()`, and what is for the command line alone. */
export interface AppConfig extends Omit<ServeOptions, 'onEvent'> {
  /** What starts the HTTP server: a path, from the folder of the configuration. */
  file: string
  /** Variables besides `env`, by the name that `--env` chooses. Default none. */
  envProfiles?: Record<string, Record<string, string | undefined>>
  /** With `--daemon`, how large a log file gets: bytes, or a size such as `'10m'`. Default `'10m'`. */
  logSize?: number | string
  /** With `--daemon`, how many log files are kept, from 2 to 1000. Default 5. */
  logFiles?: number
  /** For development: reload when source files in the folder of the file change. Default false. */
  watch?: boolean
  /** When to reload: five fields of cron, such as `'0 4 * * *'`, in the time of the machine. Default: never. */
  cron?: string
}

/**
 * Gives back what it gets: editors know the options then, and a typing mistake is found.
 *
 * @example
 * export default defineConfig({ apps: [{ file: 'web.js', instances: 'max' }, { file: 'api.js', instances: 2 }] })
 */
export function defineConfig(config: ServeConfig): ServeConfig {
  return config
}
