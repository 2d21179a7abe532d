// What workers take over from the program that starts them: its environment and its Node options.

/** Options that make no sense in a worker: code given on the command line, a debugger port that is taken. */
const NOT_INHERITED =
  /^(--inspect|--debug|--input-type|--test|--watch|--check|--eval|--print|--interactive|-(e|p|pe|c|i)$)/

/** Options that say how modules are found and loaded. */
const LOADING =
  /^(--import|--require|-r|--loader|--experimental-|--no-experimental-|--conditions|-C|--preserve-symlinks|--enable-source-maps|--no-warnings)/

type Env = Record<string, string | undefined>

/**
 * The caller's environment with `env` over it; undefined removes a variable. Needed without `env` too: Node by itself would
 * give a thread that of the operating system, though the program has put another in place of process.env, and would read
 * NODE_OPTIONS as they were when the program started.
 */
export function workerEnv(env: Env | undefined): Record<string, string> {
  const merged = Object.entries({ ...process.env, ...env })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** The caller's Node options without those that are only for the caller. */
export function inheritedExecArgv(): string[] {
  return select((option) => !NOT_INHERITED.test(option))
}

/**
 * The same for a thread; undefined lets it share all options of the process. That is best, unless --input-type is among
 * them: with it Node refuses to start a file through its loader of ES modules, as it does under --import. A list must leave
 * out options of the whole process, such as V8's, which a thread refuses and has anyway.
 */
export function inheritedThreadExecArgv(): string[] | undefined {
  if (!process.execArgv.some((option) => option.startsWith('--input-type'))) return undefined
  return select((option) => LOADING.test(option))
}

/** Options with the values that follow them. */
function select(isWanted: (option: string) => boolean): string[] {
  let keeps = false
  return process.execArgv.filter((part) => {
    if (part.startsWith('-')) keeps = isWanted(part)
    return keeps
  })
}
