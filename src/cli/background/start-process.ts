// Starts the process of a service in the background: a process of its own for each, so that no service depends on another one, nor on who
// started it.

import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppPlan } from '../../serve/apps/app-plan.js'
import type { StartContext } from '../../serve/apps/remembered.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { logFolder } from '../../serve/logs/log-folder.js'
import type { StartServing } from './serve-messages.js'
import { ownContext, variablesToStart } from './start-context.js'

const program = fileURLToPath(new URL('../../cli/background/serve-process.js', import.meta.url))

export interface BackgroundStart extends Pick<StartServing, 'isPatient' | 'replaces'> {
  /** Default: as this process was started. */
  readonly context?: StartContext | undefined
}

export interface StartedChild {
  readonly child: ChildProcess
  /** With what its own code does not catch: faults of Node cannot be written line by line. It renames it when the name is its own. */
  readonly errors: string
}

let count = 0

export function startProcess(
  plan: AppPlan,
  { context = ownContext(), ...how }: BackgroundStart,
): StartedChild {
  // Not yet the file of that name: a service that runs may be writing it.
  const folder = logFolder()
  const errors = join(folder, `${plan.name}.err.${process.pid}.${++count}`)
  const output = openForErrors(folder, errors)
  const before = process.umask(context.umask) // spawn() has no option for it
  try {
    const args = [...context.execArgv, programNow(), plan.name, ...[plan.file].flat()]
    const child = spawn(process.execPath, args, {
      detached: true,
      windowsHide: true,
      serialization: 'advanced', // variables that are undefined stay so
      cwd: context.cwd,
      env: variablesToStart(context),
      stdio: ['ignore', output, output, 'ipc'],
    })
    const message: StartServing = { plan, isBackground: true, hasTerminal: false, errors, ...how }
    child.send(message, () => {})
    return { child, errors }
  } finally {
    process.umask(before)
    closeSync(output)
  }
}

/** It may be deleted with the release of whose packages it was: then it is that of the release to which the link of the folder leads now. */
function programNow(): string {
  if (existsSync(program)) return program
  const { cwd } = ownContext()
  const next = join(cwd, relative(process.cwd(), program)) // where this process is, as the system sees it
  return existsSync(next) ? next : program
}

/** @throws TW_ERR_LOG_FOLDER such as on a file system that is read-only */
function openForErrors(folder: string, path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch (cause) {
    throw new ThreadwiseError('TW_ERR_LOG_FOLDER', { folder, reason: (cause as Error).message }, { cause })
  }
}
