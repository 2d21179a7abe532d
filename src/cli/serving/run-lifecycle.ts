// `threadwise start`, `restart`, `stop`, `reload` and `delete`: for one service by its name, or for `all`.

import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { forgetApp, isRemembered, type RememberedApp } from '../../serve/apps/remembered.js'
import { askForAnswer } from '../../serve/control/control-client.js'
import { checkOption } from '../../errors/check-options.js'
import { logFolder } from '../../serve/logs/log-folder.js'
import { awaitSuccessor } from '../background/await-successor.js'
import { knownApp, knownApps } from '../background/background-record.js'
import { count, reload, stop, type StartFlags } from './change-service.js'
import { ended, forEach, known, running } from './each-service.js'
import { applyConfig, type ApplyFlags } from './run-deploy.js'
import { ownContext, withVariables } from '../background/start-context.js'
import { startBackground } from '../background/start-background.js'

/** The exit code, as of all functions here. */
export function runStart(name: string, flags: StartFlags): Promise<number> {
  return forEach(name, ended, (one) => startOne(one, flags))
}

/** Gives what to say, as the next; null when a signal has ended it. */
export async function startOne(name: string, flags: StartFlags): Promise<string | null> {
  return startAgain(await remembered(name), flags)
}

export function startAgain(
  { plan, start }: RememberedApp,
  { updateEnv }: StartFlags,
): Promise<string | null> {
  const context = start && updateEnv ? withVariables(start, ownContext().env) : start
  return startBackground(plan, { context, isPatient: true })
}

/** Ends it and starts it again: with a gap, and with whatever has changed. */
export function runRestart(name: string, flags: StartFlags): Promise<number> {
  return forEach(name, known, (one) => restartOne(one, flags))
}

export async function restartOne(name: string, flags: StartFlags): Promise<string | null> {
  return (await running()).includes(name) ? restart(name, flags) : startOne(name, flags)
}

/** The service does it by itself: this process may be one that it has started, and ends with it. */
async function restart(name: string, flags: StartFlags): Promise<string | null> {
  try {
    const env = flags.updateEnv ? ownContext().env : undefined
    const { successor } = await askForAnswer(name, { command: 'restart', env })
    const { pid, instances } = await awaitSuccessor(name, successor!)
    return `${name}: restarted in the background, process ${pid}, ${count(instances.length)}\n`
  } catch (error) {
    // A service of an older version does not know how.
    if (!isThreadwiseError(error) || error.code !== 'TW_ERR_INVALID_CALL') throw error
    const app = await remembered(name)
    await stop(name)
    return startAgain(app, flags)
  }
}

export function runStop(name: string): Promise<number> {
  return forEach(name, running, async (one) => {
    await stop(one)
    return `${one}: stopped\n`
  })
}

/** Also from the list. Its log stays. */
export function runDelete(name: string): Promise<number> {
  return forEach(name, known, async (one) => {
    if (!isRemembered(logFolder(), one) || (await running()).includes(one)) await stop(one)
    forgetApp(logFolder(), one)
    return `${one}: deleted\n`
  })
}

export interface ReloadFlags extends ApplyFlags, StartFlags {}

export async function runReload(name: string | undefined, flags: ReloadFlags): Promise<number> {
  const { config, env, only, dryRun } = flags
  const isByConfig = [config, env, only, dryRun].some((value) => value !== undefined)
  if (isByConfig) return applyConfig(name, flags)
  checkOption(name !== undefined, 'name', 'the name of a service, or all; or use --config', name)
  return forEach(name!, running, (one) => reload(one, flags))
}

async function remembered(name: string): Promise<RememberedApp> {
  const app = knownApp(name)
  if (app) return app
  const all = knownApps().map(({ plan }) => plan.name)
  throw new ThreadwiseError('TW_ERR_SERVICE_NOT_FOUND', { name, running: await running(), remembered: all })
}
