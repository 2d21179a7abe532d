// The form of threadwise.config.js: several apps, each with the options of serve().

import type { ServeOptions } from '../contract/options.js'

/** What `threadwise serve` reads from `threadwise.config.js` (or `.mjs`, `.ts`, `.json`). */
export interface ServeConfig {
  /** At least one; their names must differ. */
  apps: AppConfig[]
}

/** An app: the options of `serve()`, and what is for the command line alone. */
export interface AppConfig extends Omit<ServeOptions, 'onEvent'> {
  /** What starts the HTTP server, or an app without a port: a path, from the folder of the configuration. Or `command`. */
  file?: string
  /** The words of a command, such as `['npm', 'start']`, in place of a file. */
  command?: string[]
  /** Variables besides `env`, by the name that `--env` chooses. Default none. */
  envProfiles?: Record<string, ServeOptions['env']>
  /** With `--daemon`, the path of its log. Default: a file of its name, in the folder of all logs. */
  logFile?: string
  /** With `--daemon`, how large a log file gets: bytes, or a size such as `'10m'`. Default `'10m'`. */
  logSize?: number | string
  /** With `--daemon`, how many log files are kept, from 2 to 1000. Default 5. */
  logFiles?: number
  /**
   * For development: reload when source files in the folder of the file change; or a list of files, folders and patterns, from `cwd`, of which
   * every file counts, such as `['src', 'views/*.html']`. Default false.
   */
  watch?: boolean | string[]
  /** With `watch`: files and folders whose changes are passed over, such as `['data', 'public/*.json']`. Default none. */
  ignoreWatch?: string[]
  /** A command that is told of trouble, as `--on-event` says. Default none. */
  onEvent?: string | string[]
  /**
   * When to reload: five fields of cron, such as `'0 4 * * *'`, in the time of the machine. An app without a port with `restart: 'never'`
   * or `'on-failure'` is a job: it runs at these times; a time at which the last run goes on is left out. Default: never.
   */
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
