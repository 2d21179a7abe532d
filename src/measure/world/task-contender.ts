// A trial as a contender of a decision: measured window by window.

import type { Contender, Failure, Reading } from '../decision/world.js'
import { ownCpuMs } from '../machine/machine-cpu.js'
import {
  end,
  findPeriod,
  keepUsage,
  longPlanOf,
  patienceFor,
  planOf,
  profileTrial,
  startTrial,
  warmUp,
  TRIAL_PATIENCE,
  type Setting,
  type Trial,
} from './task-trial.js'
import { expectedMs } from './plan-window.js'
import { isFailed, type CellPlan, type WindowAnswer } from '../trial/trial.js'

/** Alone each window pays for its own start, so the warm-up is shorter. */
const ALONE = { warmUpMs: 1000, countMs: 600 }

/** A process that uses more CPUs than this while it should be idle is stopped meanwhile. */
const RESTLESS = 0.02

export function contender(setting: Setting, trial: Trial): Contender {
  return {
    async measure() {
      if (setting.isRestless) trial.process.resume()
      const reading = await readWindow(setting, trial)
      if (setting.isRestless) trial.process.pause()
      return reading
    },
    async close() {
      trial.process.resume()
      await takeReport(setting, trial)
      await end(setting, trial)
    },
  }
}

async function readWindow(setting: Setting, trial: Trial, plan = planOf(trial)): Promise<Reading | Failure> {
  const expected = expectedMs(plan, trial.cell, trial.scout, trial.warm)
  const machineBefore = setting.machineCpu()
  const ownBefore = ownCpuMs()
  const began = setting.now()
  const asked = { plan, hasQuota: trial.hasQuota }
  const answer = await trial.process.ask('window', asked, patienceFor(setting, expected))
  if (isFailed(answer)) return answer
  const wallMs = setting.now() - began
  noteRest(setting, trial, answer, began)
  if (answer.isFull) trial.record.wornOut++
  const used = differenceOf(setting.machineCpu(), machineBefore)
  // The store may be on this machine: what it uses for these calls is nobody else's.
  const isKnown = used !== null && answer.cpuMs !== null && trial.cell.executor !== 'bullmq'
  const others = isKnown ? used - answer.cpuMs - (ownCpuMs() - ownBefore) : null
  return {
    atMs: began - setting.startedMs,
    wallMs,
    rate: answer.rate,
    isWorn: answer.isFull,
    cpuRate: cpuRateOf(answer),
    otherCpus: others === null ? null : Math.max(0, others / wallMs),
  }
}

function cpuRateOf({ calls, cpuMs }: WindowAnswer): number | null {
  return cpuMs === null || cpuMs <= 0 ? null : (1000 * calls) / cpuMs
}

/** A module with timers of its own works on while others are measured. */
function noteRest(setting: Setting, trial: Trial, { idleCpuMs }: WindowAnswer, began: number): void {
  const restedMs = began - trial.lastMs
  if (trial.lastMs > 0 && restedMs > 200 && idleCpuMs !== null && idleCpuMs / restedMs > RESTLESS)
    setting.isRestless = true
  trial.lastMs = setting.now()
}

async function takeReport(setting: Setting, trial: Trial): Promise<void> {
  const patience = setting.signal?.aborted ? TRIAL_PATIENCE.stoppedMs : TRIAL_PATIENCE.reportMs
  const answer = await trial.process.ask('report', {}, patience)
  if (!isFailed(answer)) keepUsage(trial, answer)
}

/** Each window is a trial of its own, from its start to its end. */
export function aloneContender(setting: Setting, cell: CellPlan): Contender {
  return {
    async measure() {
      const began = setting.now()
      const trial = await startTrial(setting, cell)
      if (isFailed(trial)) return trial
      await warmUp(setting, trial, ALONE.warmUpMs)
      if (trial.failure !== null) {
        await end(setting, trial)
        return trial.failure
      }
      trial.process.restoreLimit()
      if (trial.hasQuota && cell.cpus < 1) await findPeriod(trial)
      if (trial.record.memoryBytes.length === 0) await profileTrial(setting, trial)
      const reading = await readWindow(setting, trial, longPlanOf(trial, ALONE.countMs))
      await takeReport(setting, trial)
      await end(setting, trial)
      const wallMs = setting.now() - began
      return isFailed(reading)
        ? reading
        : { ...reading, isWorn: false, atMs: began - setting.startedMs, wallMs }
    },
    async close() {},
  }
}

export function differenceOf(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before
}
