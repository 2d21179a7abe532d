// The options of serve(), each with what it may be, what it is where it is left out, and how the command line says it. From here come the
// flags of `threadwise serve` with their help, the names that a configuration may have, the checks of single values, and the defaults.
// What depends on another option, or on the machine, is in resolve-options.ts. docs/serving-options.md tells the same, by a test.

import {
  checkFunction,
  checkOption,
  checkSwitch,
  checkText,
  checkTexts,
  checkWord,
} from '../../errors/check-options.js'
import { constants } from 'node:os'
import type { ServeOptions } from './options.js'
import { checkName } from './service-name.js'
import { checkMs, MAX_MS } from './times.js'

type Check = (option: string, value: unknown) => void

export interface ServeFlag {
  readonly words: string
  /** What the help says of it, without the default. */
  readonly says: string
  /** How its text is read. Default: as text, or as a switch where `words` names no value. */
  readonly takes?: 'number' | 'number or none' | 'numbers' | 'instances'
  /** The heading in the help. */
  readonly group: string
}

export interface ServeOption {
  /** It is about a port, or about what only Node tells of itself, and means nothing for what listens on none. */
  readonly needsPort?: true
  /** What it is where it is left out; none where that depends on something else, or is nothing. */
  readonly default?: string | number | boolean
  /** The same in the words of the help, where they say more. */
  readonly otherwise?: string
  /** Throws TW_ERR_INVALID_OPTION. */
  readonly check?: Check
  readonly flag?: ServeFlag
}

/** Below, a garbage collection on a busy machine would look like a hang. */
const MIN_HANG_MS = 500
const MIN_LOOK_MS = 100
const HOUR_MS = 3_600_000

const checkFrom =
  (least: number, most = MAX_MS): Check =>
  (option, value) =>
    checkOption(isWithin(value, least, most), option, `a number of milliseconds from ${least} to ${most}`, value) // prettier-ignore

const checkWhole: Check = (option, value) =>
  checkOption(isWhole(value), option, 'a whole number from 1', value)

const checkVariable: Check = (option, value) =>
  checkOption(typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value), option, 'the name of a variable', value) // prettier-ignore

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

function isSignal(value: unknown): boolean {
  return Object.hasOwn(constants.signals, String(value)) && !['SIGKILL', 'SIGSTOP'].includes(String(value))
}

const FIRST = 'Options:'
const PLACE = 'Where they run:'
const END = 'How instances end:'
const READY = 'When an instance takes requests:'
const AGAIN = 'Programs without a port, and restarts:'
const LIMIT = 'When an instance is replaced:'
const SPREAD = 'How many there are, and which of them gets a connection:'

/** All of them: complete by their type. */
export const SERVE_OPTIONS = {
  instances: {
    otherwise: 'max',
    flag: {
      words: '-i, --instances <n>',
      says: 'number of processes, max (the CPU budget rounded down), or auto (what "measure --server --save" found)',
      takes: 'instances',
      group: FIRST,
    },
  },
  name: {
    otherwise: 'that of the file',
    check: (option, value) => checkName(value, option),
    flag: {
      words: '--name <name>',
      says: 'name for list, status, reload, scale and stop',
      group: FIRST,
    },
  },
  args: { check: checkTexts },
  env: {},
  execArgv: { check: checkTexts },
  cwd: {
    otherwise: 'here',
    check: (option, value) => checkText(option, value, 'a folder'),
    flag: {
      words: '--cwd <folder>',
      says: 'where instances run; links are followed at each start',
      group: PLACE,
    },
  },
  instanceVariable: {
    otherwise: 'none',
    check: checkVariable,
    flag: {
      words: '--instance-variable <name>',
      says: 'the variable that tells an instance its place, such as NODE_APP_INSTANCE',
      group: PLACE,
    },
  },
  incrementVariable: {
    check: checkVariable,
    flag: {
      words: '--increment-variable <name>',
      says: 'a variable with a number, such as PORT: each instance gets it with its place added',
      group: PLACE,
    },
  },
  grace: {
    default: 10_000,
    check: checkMs,
    flag: {
      words: '--grace <ms>',
      says: 'time that an instance has to end, from when it is told to until SIGKILL',
      takes: 'number',
      group: END,
    },
  },
  stopSignal: {
    default: 'SIGTERM',
    check: (option, value) =>
      checkOption(
        value === 'message' || isSignal(value),
        option,
        'a signal that can be handled, such as SIGINT, or "message"',
        value,
      ),
    flag: {
      words: '--stop-signal <signal>',
      says: 'how an instance is told to end: a signal that it handles, or message',
      group: END,
    },
  },
  parallel: {
    default: 1,
    flag: {
      words: '--parallel <n>',
      says: 'instances that a reload replaces at the same time',
      takes: 'number',
      group: END,
    },
  },
  readyTimeout: {
    default: 30_000,
    check: checkMs,
    flag: {
      words: '--ready-timeout <ms>',
      says: 'time for an instance to become ready',
      takes: 'number',
      group: READY,
    },
  },
  listenTimeout: {
    otherwise: 'it must',
    check: checkMs,
    flag: {
      words: '--listen-timeout <ms>',
      says: 'an app that has not listened by then counts as one that does not',
      takes: 'number',
      group: READY,
    },
  },
  waitReady: {
    default: false,
    check: checkSwitch,
    flag: {
      words: '--wait-ready',
      says: "an instance is ready only after process.send('ready')",
      group: READY,
    },
  },
  health: {
    needsPort: true,
    flag: {
      words: '--health <path>',
      says: 'an instance is ready only when a GET of this path is answered with 2xx',
      group: READY,
    },
  },
  healthInterval: {
    needsPort: true,
    default: 10_000,
    check: checkFrom(MIN_HANG_MS),
    flag: {
      words: '--health-interval <ms>',
      says: 'time between two checks of it from then on',
      takes: 'number',
      group: READY,
    },
  },
  healthThreshold: {
    needsPort: true,
    default: 3,
    check: checkWhole,
    flag: {
      words: '--health-threshold <n>',
      says: 'replace an instance that fails so many in a row',
      takes: 'number',
      group: READY,
    },
  },
  portless: {
    check: checkSwitch,
    flag: {
      words: '--portless',
      says: 'the file listens on no port: a worker, a bot (for a command this is so anyway)',
      group: AGAIN,
    },
  },
  interpreter: {
    check: (option, value) => checkText(option, value, 'the name or path of a program'),
    flag: {
      words: '--interpreter <program>',
      says: 'what runs the file in place of Node, such as python3',
      group: AGAIN,
    },
  },
  restart: {
    default: 'always',
    check: (option, value) => checkWord(option, value, ['always', 'on-failure', 'never']),
    flag: {
      words: '--restart <when>',
      says: 'what ended is started again: always, on-failure or never',
      group: AGAIN,
    },
  },
  stopExitCodes: {
    check: (option, value) =>
      checkOption(
        Array.isArray(value) && value.every((code) => Number.isInteger(code) && code >= 0 && code <= 255),
        option,
        'a list of exit codes from 0 to 255',
        value,
      ),
    flag: {
      words: '--stop-exit-codes <list>',
      says: 'exit codes that mean: done, such as 0,3',
      takes: 'numbers',
      group: AGAIN,
    },
  },
  restartDelay: {
    otherwise: '0, and more while they fail',
    check: checkFrom(0),
    flag: {
      words: '--restart-delay <ms>',
      says: 'time before each new start',
      takes: 'number',
      group: AGAIN,
    },
  },
  maxRestarts: {
    default: 10,
    otherwise: '10, none with --daemon',
    check: (option, value) =>
      checkOption(value === 'none' || isWhole(value), option, 'a whole number from 1, or "none"', value),
    flag: {
      words: '--max-restarts <n>',
      says: 'give up after so many in a row that end soon, or none: never',
      takes: 'number or none',
      group: AGAIN,
    },
  },
  minUptime: {
    default: 10_000,
    check: checkMs,
    flag: {
      words: '--min-uptime <ms>',
      says: 'an end before this time is soon',
      takes: 'number',
      group: AGAIN,
    },
  },
  hangTimeout: {
    needsPort: true,
    check: checkFrom(MIN_HANG_MS),
    flag: {
      words: '--hang-timeout <ms>',
      says: 'replace an instance whose event loop is blocked for so long',
      takes: 'number',
      group: LIMIT,
    },
  },
  maxMemory: {
    flag: {
      words: '--max-memory <size>',
      says: 'replace an instance that holds more memory, such as 300m or 1g',
      group: LIMIT,
    },
  },
  maxRequests: {
    needsPort: true,
    check: checkWhole,
    flag: {
      words: '--max-requests <n>',
      says: 'replace an instance after so many requests, up to a tenth more',
      takes: 'number',
      group: LIMIT,
    },
  },
  min: {
    needsPort: true,
    default: 1,
    flag: {
      words: '--min <n>',
      says: 'let the number of instances follow the load: at least so many',
      takes: 'number',
      group: SPREAD,
    },
  },
  max: {
    needsPort: true,
    flag: {
      words: '--max <n>',
      says: 'let the number of instances follow the load: at most so many, or max',
      takes: 'instances',
      group: SPREAD,
    },
  },
  scaleUp: {
    default: 0.8,
    check: (option, value) => checkOption(isShare(value), option, 'a number above 0, up to 1', value),
    flag: {
      words: '--scale-up <share>',
      says: 'one more when they are busy for this share of the time',
      takes: 'number',
      group: SPREAD,
    },
  },
  scaleDown: {
    default: 0.3,
    flag: {
      words: '--scale-down <share>',
      says: 'one less when they are busy for this share or less',
      takes: 'number',
      group: SPREAD,
    },
  },
  scaleQueue: {
    check: (option, value) =>
      checkOption(Number.isFinite(value) && Number(value) > 0, option, 'a number of requests above 0', value),
    flag: {
      words: '--scale-queue <n>',
      says: 'one more also when each has more open requests than this',
      takes: 'number',
      group: SPREAD,
    },
  },
  scaleInterval: {
    default: 5000,
    check: checkFrom(MIN_LOOK_MS, HOUR_MS),
    flag: {
      words: '--scale-interval <ms>',
      says: 'time between two looks at the load',
      takes: 'number',
      group: SPREAD,
    },
  },
  sticky: {
    needsPort: true,
    flag: {
      words: '--sticky <by>',
      says: 'address, or cookie=NAME (experimental): connections of one client go to the same instance',
      group: SPREAD,
    },
  },
  reusePort: {
    needsPort: true,
    default: false,
    check: checkSwitch,
    flag: {
      words: '--reuse-port',
      says: 'the kernel chooses the instance of a connection (Node 22.12 or later)',
      group: SPREAD,
    },
  },
  onEvent: { check: checkFunction },
} as const satisfies Readonly<Record<keyof ServeOptions, ServeOption>>

export function isShare(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= 1
}

type Table = typeof SERVE_OPTIONS
type WithDefault = {
  [Name in keyof Table]: Table[Name] extends { default: unknown } ? Name : never
}[keyof Table]

/** What an option is, given or not. */
export function valueOf<Name extends WithDefault>(
  options: ServeOptions,
  name: Name,
): NonNullable<ServeOptions[Name]> {
  const value = options[name] === undefined ? SERVE_OPTIONS[name].default : options[name]
  return value as NonNullable<ServeOptions[Name]>
}

export function needsPort(name: keyof ServeOptions): boolean {
  return (SERVE_OPTIONS[name] as ServeOption).needsPort === true
}

/**
 * Each value by itself.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function checkValues(options: ServeOptions): void {
  for (const [name, { check }] of Object.entries<ServeOption>(SERVE_OPTIONS)) {
    const value = options[name as keyof ServeOptions]
    if (value !== undefined) check?.(name, value)
  }
}
