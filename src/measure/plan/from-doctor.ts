// Takes from a diagnosis what a plan needs: what was started, which paths were asked for, and how much of their work can move to threads.

import { readFileSync, statSync } from 'node:fs'
import { checkOption } from '../../errors/check-options.js'
import type { DoctorResult } from '../results/doctor-result.js'

/** Work that doctor has seen to give the same on a thread. */
export interface Movable {
  readonly names: readonly string[]
  /** On the main thread, for each request of the mix, in ms. */
  readonly msPerRequest: number
}

export interface FromDoctor {
  readonly file: string | undefined
  readonly args: readonly string[]
  /** Undefined where the diagnosis does not tell them in full. */
  readonly paths: readonly string[] | undefined
  readonly movable: Movable | null
  readonly notes: readonly string[]
}

/** In place of words of a path that may be secret. */
const HIDDEN = '...'

/** @throws TW_ERR_INVALID_OPTION */
export function readDoctor(path: string): FromDoctor {
  const result = parse(path)
  const { command, load, functions } = result
  const own = /^(?:.*[\\/])?node(?:\.exe)?$/.test(command[0] ?? '') ? command.slice(1) : command
  const [file, ...args] = own as [string?, ...string[]]
  const isThere = file !== undefined && (statSync(file, { throwIfNoEntry: false })?.isFile() ?? false)
  const isWhole = isThere && !args.some((word) => word.includes(HIDDEN))
  const isTold = load !== null && load.paths.length > 0 && !load.paths.some((each) => each.includes(HIDDEN))
  const moves = functions.filter(
    ({ verdict, callMs, callsPerSecond }) => verdict === 'move' && callMs !== null && callsPerSecond !== null,
  )
  const msPerSecond = moves.reduce((sum, { callMs, callsPerSecond }) => sum + callMs! * callsPerSecond!, 0)
  const hasMoves = load !== null && load.perSecond > 0 && msPerSecond > 0
  return {
    file: isWhole ? file : undefined,
    args: isWhole ? args : [],
    paths: isTold ? load.paths : undefined,
    movable: hasMoves
      ? { names: moves.map(({ name }) => name), msPerRequest: msPerSecond / load.perSecond }
      : null,
    notes: notesOn(path, isTold ? load.paths : null),
  }
}

/** On the paths of a diagnosis; null: they are not told in full. */
function notesOn(path: string, paths: readonly string[] | null): string[] {
  if (paths === null)
    return [`${path} does not tell its paths in full: those of --path were asked for, or /.`]
  return paths.length < 2
    ? []
    : [`${path} does not say how often each path is asked for: unless --path does, all are alike.`]
}

function parse(path: string): DoctorResult {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    checkOption(
      false,
      'from',
      `a file that "threadwise doctor --json FILE" has written (${(error as Error).message})`,
      path,
    )
  }
  const { command, functions, kind } = (value ?? {}) as Partial<DoctorResult>
  const isDoctor = Array.isArray(command) && Array.isArray(functions)
  checkOption(isDoctor, 'from', 'a file that "threadwise doctor --json FILE" has written', path)
  checkOption(
    kind === 'server' || kind === 'process',
    'from',
    'a diagnosis of a server',
    `one of ${kind === null ? 'an app that did not start' : `a ${kind}`}`,
  )
  return value as DoctorResult
}
