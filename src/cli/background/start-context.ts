// What a service has from who started it, so that it is started again as it was: by hand, from cron, or by its own request.

import { existsSync } from 'node:fs'
import { LEVEL_VARIABLE } from '../../primitives/starts/start-guard.js'
import { PROGRAM_VARIABLE } from '../../primitives/starts/start-rate.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { currentFolder } from '../../serve/contract/current-folder.js'
import { variablesOfEnvFiles } from '../../serve/contract/env-files.js'
import type { StartContext } from '../../serve/apps/remembered.js'

/**
 * With the links that lead there, so that a start follows them again. Read at once: once a link leads to the next release, nothing tells that
 * it has led here.
 */
const ownFolder = folderIfAny()

/** That of this process. Variables from `node --env-file` are left out: the file is read again. */
export function ownContext(): StartContext {
  const ofFiles = variablesOfEnvFiles()
  const isIts = (name: string) => !(name in ofFiles) && ![LEVEL_VARIABLE, PROGRAM_VARIABLE].includes(name) // a service is nobody's worker
  const env = Object.entries(process.env).filter(([name, value]) => value !== undefined && isIts(name))
  return {
    env: Object.fromEntries(env) as Record<string, string>,
    execArgv: process.execArgv,
    umask: process.umask(),
    cwd: ownFolder ?? currentFolder(),
  }
}

/** In one that is gone most commands work. */
function folderIfAny(): string | undefined {
  try {
    return currentFolder()
  } catch {
    return undefined
  }
}

/** @throws TW_ERR_BACKGROUND_FAILED when the folder of its start is gone, such as an old release */
export function checkFolder(name: string, context: StartContext | undefined): void {
  if (context === undefined || existsSync(context.cwd)) return
  const output = `The folder ${context.cwd}, in which it was started, is gone. Start it from its new one with "threadwise serve".`
  throw new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', { name, output })
}

/** By these, folders are found: the ones in which a service was are those in which it stays. */
const FOLDERS = ['XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'PWD'] as const

/** As it was, with the variables of `other`. */
export function withVariables(start: StartContext, env: StartContext['env']): StartContext {
  const folders = FOLDERS.flatMap((name) => (name in start.env ? [[name, start.env[name]!] as const] : []))
  const others = Object.entries(env).filter(([name]) => !FOLDERS.some((folder) => folder === name))
  return { ...start, env: Object.fromEntries([...others, ...folders]) }
}

/** The folder of a login may be gone since: then that of who starts it now is taken. */
export function variablesToStart({ env }: StartContext): NodeJS.ProcessEnv {
  const { XDG_RUNTIME_DIR: folder } = env
  if (folder === undefined || existsSync(folder)) return { ...env }
  const { XDG_RUNTIME_DIR: own } = process.env
  return { ...env, XDG_RUNTIME_DIR: own } // undefined: it has none
}
