// The options of serve(): what they mean, and their defaults.

import type { ServeEvent } from './events.js'

/** Options of {@link serve}; all times are in milliseconds. */
export interface ServeOptions {
  /** Number of instances, or `max`: the CPU budget rounded down, at least 1. Default `max`. */
  instances?: number | 'max'
  /** For `threadwise list` and the like: letters, digits, `.`, `_` and `-`, at most 40. Default: the file's name without its ending. */
  name?: string
  /** What instances get as process.argv after the file. Default none. */
  args?: string[]
  /** Variables for instances, besides those of this process. Default none. */
  env?: Record<string, string | undefined>
  /** Options of Node for instances. Default: those of this process. */
  execArgv?: string[]
  /** Milliseconds that requests have to end before SIGTERM, and again the instance before SIGKILL. Default 10000. */
  grace?: number
  /** Milliseconds that an instance has to become ready. Default 30000. */
  readyTimeout?: number
  /** An instance is ready only after process.send('ready'). Default false. */
  waitReady?: boolean
  /** An instance is ready only when its own GET of this path answers with a status of 2xx, and is asked again from then on. Default none. */
  health?: string
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
