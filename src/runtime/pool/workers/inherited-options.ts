// What workers take over from the program that starts them: its environment and its Node options.

import { otherRuntime } from '../../../primitives/other-runtime.js'

/** Options that make no sense in a worker: code given on the command line, a debugger port that is taken. */
const NOT_INHERITED =
  /^(--inspect|--debug|--input-type|--test|--watch|--check|--eval|--print|--interactive|-(e|p|pe|c|i)$)/

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

/** The caller's Node options without those that are only for the caller, with the values that follow them. */
export function inheritedExecArgv(): string[] {
  let keeps = false
  return process.execArgv.filter((part) => {
    if (part.startsWith('-')) keeps = !NOT_INHERITED.test(part)
    return keeps
  })
}

/** Node is to import modules before the program of a worker with these options, on its command line or in its variables. */
export function importsFirst(
  execArgv: readonly string[] = process.execArgv,
  { NODE_OPTIONS = '' }: Env,
): boolean {
  if (otherRuntime() !== null) return false
  return (
    execArgv.some((option) => /^--import(=|$)/.test(option)) || /(^|[\s"])--import[\s=]/.test(NODE_OPTIONS)
  )
}
