// `threadwise serve`: what its options mean, and where the service runs.

import { planApp, type AppPlan } from '../apps/app-plan.js'
import { checkOption } from '../errors.js'
import { runService } from './run-service.js'
import { startBackground } from './start-background.js'

export interface ServeFlags {
  instances?: number | 'max'
  name?: string
  grace?: number
  readyTimeout?: number
  waitReady?: boolean
  health?: string
  hangTimeout?: number
  maxMemory?: string
  maxRequests?: number
  daemon?: boolean
  logSize?: string
  logFiles?: number
}

/** The exit code. */
export async function runServe(file: string, args: string[], flags: ServeFlags): Promise<number> {
  const plan = planOf(file, args, flags)
  if (flags.daemon) return startBackground(plan)
  checkOption(flags.logSize === undefined, '--log-size', 'left out without --daemon', flags.logSize)
  checkOption(flags.logFiles === undefined, '--log-files', 'left out without --daemon', flags.logFiles)
  return runService(plan)
}

function planOf(file: string, args: string[], flags: ServeFlags): AppPlan {
  const { instances, name, grace, readyTimeout, waitReady, health, hangTimeout, maxMemory, maxRequests } =
    flags
  const options = {
    instances,
    name,
    grace,
    readyTimeout,
    waitReady,
    health,
    hangTimeout,
    maxMemory,
    maxRequests,
  }
  return planApp(file, { ...options, args }, flags)
}
