// The options of serve(): what they mean, and their defaults. What they may be: option-table.ts.

import type { ServeEvent } from './events.js'

/** Options of {@link serve}; all times are in milliseconds. */
export interface ServeOptions {
  /** Number of instances, or `max`: the CPU budget rounded down, at least 1. Default `max`. */
  instances?: number | 'max'
  /** For `threadwise list` and the like: letters, digits, `.`, `_` and `-`, at most 40. Default: the file's name without its ending. */
  name?: string
  /** What instances get as process.argv after the file. Default none. */
  args?: string[]
  /**
   * Variables for instances, besides those of this process; numbers and booleans as text. One that is null or undefined is not inherited.
   * Default none.
   */
  env?: Record<string, string | number | boolean | null | undefined>
  /** Options of Node for instances. Default: those of this process. */
  execArgv?: string[]
  /** The folder in which instances run; links in its path are followed at each start. Default: the current one. */
  cwd?: string
  /** The variable that tells an instance its place: from 0, and the same for the one that replaces it. Default none. */
  instanceVariable?: string
  /** A variable with a number, such as `PORT`: each instance gets it with its place added. Default none. */
  incrementVariable?: string
  /** Milliseconds that an instance has to end, from when it is told to until SIGKILL. Default 10000. */
  grace?: number
  /**
   * How an instance is told, when its connections begin to end: by a signal that it handles, or by `'message'`, which is
   * `process.on('message', (text) => text === 'shutdown')`. One without a handler ends when its connections have ended. Default `SIGTERM`.
   */
  stopSignal?: NodeJS.Signals | 'message'
  /** How many instances a reload replaces at the same time. Default 1. */
  parallel?: number
  /** The app listens on no port that others share: a worker, a bot. Default false, and true for a command and with `interpreter`. */
  portless?: boolean
  /** What runs the file in place of Node, such as `'python3'`; its options are `execArgv`. Default: Node. */
  interpreter?: string
  /** When an instance that ended by itself is started again; `on-failure`: unless its exit code was 0. Default `always`. */
  restart?: 'always' | 'on-failure' | 'never'
  /** Exit codes with which an instance says that it is done. Default none. */
  stopExitCodes?: number[]
  /** Milliseconds before each new start. Default: 0, and longer and longer, up to 15000, while instances end soon. */
  restartDelay?: number
  /** When so many in a row end soon, and none is left, the service gives up; `none`: never. Default 10, and `none` with `--daemon`. */
  maxRestarts?: number | 'none'
  /** Milliseconds for which an instance must serve, or its end is soon. Default 10000. */
  minUptime?: number
  /** Milliseconds that an instance has to become ready. Default 30000. */
  readyTimeout?: number
  /**
   * Milliseconds after which an app that has not listened, or with `waitReady` has not said that it is ready, counts as ready all the same.
   * Default: it must within `readyTimeout`.
   */
  listenTimeout?: number
  /** An instance is ready only after process.send('ready'). Default false. */
  waitReady?: boolean
  /**
   * An instance is ready only when its own GET of this path answers with a status of 2xx, and is asked again from then on: a path such as
   * `/health`, with the port of one of several servers `:3000/health`, or a list of these, of which each must. Default none.
   */
  health?: string | string[]
  /** Milliseconds between two checks of `health`, and for the answer to one, at least 500. Default 10000. */
  healthInterval?: number
  /** An instance that fails so many checks in a row is replaced. Default 3. */
  healthThreshold?: number
  /** Milliseconds, at least 500: an instance whose event loop answers nothing for so long is replaced. Default: not watched. */
  hangTimeout?: number
  /** An instance that holds more memory is replaced: bytes, or a size such as `'300m'` or `'1g'`. Default: no limit. */
  maxMemory?: number | string
  /** Requests after which an instance is replaced; up to a tenth more, so that not all go at once. Default: no limit. */
  maxRequests?: number
  /**
   * `'address'`: all connections of an address go to the same instance, as long as it serves. `'cookie=NAME'` (experimental, since it
   * reads connections by what Node does not document): all whose first request has the same cookie of this name, over HTTP/1.1
   * without TLS; not on Windows. Default: to each in turn.
   */
  sticky?: 'address' | `cookie=${string}`
  /** Instances listen by themselves, and the kernel spreads connections; Node 22.12 or later, not on macOS and Windows. Default false. */
  reusePort?: boolean
  /** With it or `max` the number of instances follows the load, from `min` on. Default 1. */
  min?: number
  /** The most instances, or `max`: the CPU budget rounded down. Default `max`. */
  max?: number | 'max'
  /** Share of the time, above 0 and up to 1: one instance more when their event loops are busier, on average. Default 0.8. */
  scaleUp?: number
  /** Share of the time, below `scaleUp`: one instance less when they are less busy. Default 0.3. */
  scaleDown?: number
  /** Open requests in each instance, on average: above it there is one instance more too. Default: requests are not counted. */
  scaleQueue?: number
  /** Milliseconds between two looks at the load. Default 5000. */
  scaleInterval?: number
  /** Called with what happens, for a log. Default none. */
  onEvent?: (event: ServeEvent) => void
}
