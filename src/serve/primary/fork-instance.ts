// Starts the process of one instance: the user's file, unchanged, with server-entry.ts run before it.

import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { SETTINGS_VARIABLE, type InstanceSettings } from '../contract/instance-messages.js'
import type { OnListen } from './in-flight-connections.js'
import type { ReadySettings } from './readiness.js'
import type { Entrance } from '../sticky/entrance.js'
import { giveCode, textBeforeProgram } from '../../primitives/run-text.js'
import { variablesOfRuntime } from '../../primitives/single-executable.js'
import { variablesAt } from '../contract/place-variables.js'
import { variablesOfEnvFiles } from '../contract/env-files.js'
import { inOwnGroup } from './process-group.js'
import instanceCode from '../instance/server-entry.js?code'

export interface StartSettings extends Omit<InstanceSettings, 'isCollected' | 'readsAhead'>, ReadySettings {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execArgv: readonly string[]
  readonly hasGroups: boolean
  /** Links in it are followed at each start. */
  readonly cwd: string
  /** Of all instances of the service. */
  readonly entrance: Entrance
  /** From 0; that of the instance that it replaces. */
  readonly place: number
  readonly startMark: string
  readonly instanceVariable: string | null
  readonly incrementVariable: string | null
  readonly onListen: OnListen
  /** Called with what is wrong with it while it runs, and when that is over. */
  readonly onTrouble: (text: string) => void
  /** Takes the standard output and error of the instance; without it they are those of this process. */
  readonly collect?: (instance: number, child: ChildProcess) => void
}

/** What this process has from a file that instances read again, at each start. */
const readAgain = variablesOfEnvFiles()

export function forkInstance(settings: StartSettings): Worker {
  const { file, args, execArgv, cwd, collect } = settings
  const { isShut, isGated, graceMs, stopSignal, hangTimeoutMs, maxMemory, maxRequests } = settings
  // Connections that wait in the primary are not lost with an instance, as those in a socket of its own would be.
  cluster.schedulingPolicy = cluster.SCHED_RR
  // Settings are of the whole process, and another service in it may have set its own since.
  cluster.setupPrimary({
    exec: file,
    args: [...args],
    execArgv: [...execArgv, ...textBeforeProgram()],
    cwd,
    windowsHide: true, // in the background there is no console to share, and each would open a window
    stdio: collect ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  const own: InstanceSettings = {
    isShut,
    isGated,
    graceMs,
    stopSignal,
    hangTimeoutMs,
    maxMemory,
    maxRequests,
    isCollected: collect !== undefined,
    readsAhead: Boolean(settings.entrance.sticky?.ahead),
  }
  const variables = variablesAt(settings.place, settings)
  const fork = () =>
    cluster.fork({
      ...variablesOfRuntime(),
      ...readAgain,
      ...variables,
      [SETTINGS_VARIABLE]: JSON.stringify(own),
    })
  const worker = settings.hasGroups ? inOwnGroup(fork) : fork()
  giveCode(worker.process, instanceCode)
  collect?.(worker.id, worker.process)
  return worker
}
