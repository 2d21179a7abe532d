// The world of a decision about a task: trials that live side by side, each in a process and under a CPU limit of its own.
//
//   start, a few at a time under the limit -> warm up, all at once without it -> limit back, find its periods -> profile -> windows
//
// What is compiled while code warms up is the same with more CPU; only sooner. Modules that cannot be loaded twice at the same time
// (a port, a lock file) are found out by a trial that starts only once all others have ended: then each window is a trial of its own.

import type { Contender, Failure, World } from '../decision/world.js'
import type { CellRecord } from './cell-record.js'
import { isolatesOf } from './plan-window.js'
import { waitForQuiet } from '../machine/quiet.js'
import { aloneContender, contender } from './task-contender.js'
import {
  end,
  inTurns,
  profileAll,
  startTrial,
  warmUpAll,
  TRIAL_PATIENCE,
  type Setting,
  type Trial,
} from './task-trial.js'
import { timeDueCalls } from './time-due-calls.js'
import type { TaskCandidate, TaskWorldOptions } from './task-world-options.js'
import { isFailed, type CellPlan } from '../trial/trial.js'

/** Share of the memory that is free that all trials together may take. */
const MEMORY_SHARE = 0.7
/** Of a worker, beside what its process holds. */
const ISOLATE_BYTES = 15 * 1024 * 1024

export interface TaskWorld extends World<TaskCandidate> {
  readonly records: ReadonlyMap<CellPlan, CellRecord>
  /** Why candidates could not live side by side; null when they did. */
  aloneBecause(): string | null
}

export function createTaskWorld(options: TaskWorldOptions): TaskWorld {
  const { random, startedMs, signal, areTogether, now } = options
  const setting: Setting = {
    ...options,
    records: new Map(),
    alive: new Set(),
    aloneBecause: null,
    isChecked: false,
    isRestless: false,
  }
  signal?.addEventListener(
    'abort',
    () => void setTimeout(() => void killAll(setting), TRIAL_PATIENCE.stoppedMs),
    {
      once: true,
    },
  )
  return {
    random,
    areTogether,
    records: setting.records,
    seconds: () => (now() - startedMs) / 1000,
    isStopped: () => signal?.aborted === true,
    open: (candidates) => openOrNone(setting, candidates),
    waitForQuiet: (seconds) => waitForQuiet(setting, seconds),
    aloneBecause: () => setting.aloneBecause,
    onLook: options.onLook,
  }
}

async function killAll({ alive }: Setting): Promise<void> {
  await Promise.all([...alive].map(({ process }) => process.kill()))
}

/** @throws TW_ERR_LIMIT_UNAVAILABLE, and then nothing is left running */
async function openOrNone(
  setting: Setting,
  candidates: readonly TaskCandidate[],
): Promise<(Contender | Failure)[]> {
  try {
    return await open(setting, candidates)
  } catch (error) {
    await killAll(setting)
    throw error
  }
}

async function open(
  setting: Setting,
  candidates: readonly TaskCandidate[],
): Promise<(Contender | Failure)[]> {
  const cells = candidates.map(({ cell }) => cell)
  if (setting.aloneBecause === null) {
    setting.onPhase('starting')
    const trials = await startSideBySide(setting, cells)
    if (setting.aloneBecause === null) {
      const started = trials.filter((trial) => !isFailed(trial)) as Trial[]
      setting.onPhase('warming up')
      await warmUpAll(setting, started)
      await profileAll(setting, started)
      await timeDueCalls(setting, started)
      setting.onPhase('measuring')
      return Promise.all(trials.map((trial) => ready(setting, trial)))
    }
  }
  setting.onPhase('measuring')
  return cells.map((cell) => aloneContender(setting, cell))
}

/** Whose process has ended while it warmed up, or was looked at, has failed for that reason. */
async function ready(setting: Setting, trial: Trial | Failure): Promise<Contender | Failure> {
  if (isFailed(trial)) return trial
  if (trial.failure === null) return contender(setting, trial)
  await end(setting, trial)
  return trial.failure
}

/** Starts them all, or finds out that they cannot live side by side. */
async function startSideBySide(setting: Setting, cells: readonly CellPlan[]): Promise<(Trial | Failure)[]> {
  const first = await startTrial(setting, cells[0]!)
  if (!isFailed(first) && isMemoryShort(setting, cells)) {
    await end(setting, first)
    setting.aloneBecause = 'there is not enough memory for all of them at once'
    return []
  }
  const width = Math.max(2, Math.floor(setting.cpus / Math.min(...cells.map(({ cpus }) => cpus))))
  const rest = await inTurns(cells.slice(1), width, (cell) => startTrial(setting, cell))
  const trials = [first, ...rest]
  const failed = trials.findIndex(isFailed)
  const started = trials.filter((trial) => !isFailed(trial)) as Trial[]
  if (failed < 0 || started.length === 0 || setting.isChecked || setting.signal?.aborted) return trials
  setting.isChecked = true
  await Promise.all(started.map((trial) => end(setting, trial)))
  const alone = await startTrial(setting, cells[failed]!)
  if (isFailed(alone)) return startSideBySide(setting, cells) // it does not start at all
  await end(setting, alone)
  setting.aloneBecause = `beside others it does not start: ${(trials[failed] as Failure).failed}`
  return []
}

function isMemoryShort({ availableMemory }: Setting, cells: readonly CellPlan[]): boolean {
  const { free, own } = availableMemory()
  const processes = cells.reduce(
    (sum, { executor, size }) => sum + (executor === 'processes' ? 1 + size : 1),
    0,
  )
  const isolates = cells.reduce((sum, cell) => sum + isolatesOf(cell), 0)
  return processes * own + isolates * ISOLATE_BYTES > MEMORY_SHARE * free
}
