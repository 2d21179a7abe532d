// Starts the first configuration and its nearest rival on this machine, as many of their containers as its CPUs bear, and compares.
//
//   sender, balances at random ──> container under its limit ─> process, or several under `threadwise serve`
//                              └─> container under its limit ...
//
// Containers are equal and work alone, so a part of them with its part of the load shows what all would.

import { cpuBudget } from '../../cpu/cpu-budget.js'
import { openCpuLimit, type CpuLimit } from '../../cpu/limit/limit-child.js'
import { cpuSecondsOfGroup } from '../machine/process-resources.js'
import type { PlanCheck } from '../results/plan-result.js'
import { startServer, type StartedServer } from '../server/start-server.js'
import type { ServerRow } from '../server/server-trial.js'
import { load } from '../load/load.js'
import type { Calibration } from './calibration.js'
import type { JudgedForm } from './judge.js'
import type { ResolvedPlan } from './options.js'
import type { Ranked } from './rank.js'
import { sendMix, type MixSeen } from './send-mix.js'

const SECONDS = 15
/** Until the code is compiled. The limit is lifted meanwhile where that can be done. */
const WARM_UP_SECONDS = 2
/** CPUs that the sender needs. */
const OF_SENDER = 0.3
/** The p99 may differ by so much, and the use by so many points. */
const NEAR = { p99: 0.35, use: 0.1 }
const MAX_OTHERS = 0.15

interface How {
  readonly calibration: Calibration
  /** Of each; default 15. */
  readonly seconds?: number
}

/** What there is when it is interrupted. */
export async function checkRanked(
  { first, rival }: Pick<Ranked, 'first' | 'rival'>,
  plan: ResolvedPlan,
  how: How,
): Promise<PlanCheck[]> {
  const checks: PlanCheck[] = []
  for (const each of [first, rival]) {
    if (each === null || plan.signal.aborted) continue
    const { containers, cpus } = each
    plan.onPhase(`Checking ${containers} x ${cpus} CPU on this machine ...`)
    try {
      checks.push(await checkOne(each, plan, how))
    } catch (error) {
      if (!plan.signal.aborted) checks.push(notRun(each, `it could not be run: ${(error as Error).message}`))
    }
  }
  return checks
}

async function checkOne(judged: JudgedForm, plan: ResolvedPlan, how: How): Promise<PlanCheck> {
  const { cpus } = cpuBudget({ env: {} })
  const here = Math.min(judged.containers, Math.floor((cpus - OF_SENDER) / judged.cpus + 1e-9))
  const isWhole = here < 1 && judged.cpus <= cpus // without the CPUs that the sender needs
  const count = isWhole ? 1 : here
  if (count < 1)
    return notRun(
      judged,
      `it needs ${judged.cpus} CPUs, and this machine has ${cpus}: it rests on the model, and on what one process showed here`,
    )
  const started: Started[] = []
  try {
    for (let index = 0; index < count; index++) started.push(await startContainer(judged, plan))
    return await measure(judged, { plan, started, ...how })
  } finally {
    await Promise.all(started.map(({ server }) => server.stop()))
    await Promise.all(started.map(({ limit }) => limit.remove()))
  }
}

interface Started {
  readonly server: StartedServer
  readonly limit: CpuLimit
}

async function startContainer(
  { cpus, instances }: JudgedForm,
  { file, args, signal }: ResolvedPlan,
): Promise<Started> {
  const limit = await openCpuLimit(cpus)
  try {
    const way = instances > 1 ? 'cluster' : 'single'
    const row: ServerRow = { name: 'container', way, path: '/', instances, cpus, role: 'other' }
    limit.lift?.()
    return { limit, server: await startServer({ file, row, args, env: {}, limit, signal }) }
  } catch (error) {
    await limit.remove()
    throw error
  }
}

interface Checked extends How {
  readonly plan: ResolvedPlan
  readonly started: readonly Started[]
}

async function measure(
  judged: JudgedForm,
  { plan, calibration, started, seconds = SECONDS }: Checked,
): Promise<PlanCheck> {
  const { arrivals, rate, random, signal, paths } = plan
  const origins = started.map(({ server }) => server.origin)
  const how = { connections: 2, duration: WARM_UP_SECONDS, warmup: 0, timeout: 20, signal }
  await Promise.all(origins.flatMap((origin) => paths.map(({ path }) => load(new URL(path, origin), how))))
  for (const { limit } of started) limit.restore?.()
  signal.throwIfAborted()
  const cpuMs = () => {
    const all = started.map(({ server }) => cpuSecondsOfGroup(server.group))
    return all.some((each) => each === null) ? null : 1000 * all.reduce<number>((sum, each) => sum + each!, 0)
  }
  const before = cpuMs()
  const share = started.length / judged.containers
  const { routes } = calibration
  const seen = await sendMix({
    origins,
    routes,
    arrivals,
    rate: rate * share,
    seconds,
    random,
    signal,
    cpuMs,
  })
  const after = cpuMs()
  const usedMs = before === null || after === null ? null : after - before
  const use = usedMs === null ? null : usedMs / seen.dueMs / started.length / judged.cpus
  return checkOf(judged, seen, { use, count: started.length })
}

function checkOf(
  judged: JudgedForm,
  seen: MixSeen,
  { use, count }: { use: number | null; count: number },
): PlanCheck {
  if (seen.p99 === null) return notRun(judged, 'it answered nothing')
  const measured = { use, p99: seen.p99 }
  return {
    ...predictionOf(judged),
    measured,
    containers: count,
    sentence: sentenceOf(judged, { seen, use, count }),
  }
}

function predictionOf(judged: JudgedForm): Pick<PlanCheck, 'configuration' | 'predicted'> {
  const { containers, cpus, instances, threads, use, p99 } = judged
  return { configuration: { containers, cpus, instances, threads }, predicted: { use, p99: p99! } }
}

function notRun(judged: JudgedForm, sentence: string): PlanCheck {
  return { ...predictionOf(judged), measured: null, containers: 0, sentence: `Not checked: ${sentence}.` }
}

function sentenceOf(
  judged: JudgedForm,
  { seen, use, count }: { seen: MixSeen; use: number | null; count: number },
): string {
  const { containers, use: predictedUse, p99 } = judged
  const { cpus } = cpuBudget({ env: {} })
  const rests =
    count < containers
      ? ` ${count} of ${containers} containers ran here, with their part of the load; the others are taken to be alike.`
      : ''
  const spoilt = whySpoilt(judged, seen, { count, cpus })
  if (spoilt !== null) return `Cannot tell: ${spoilt}.${rests}`
  const isIn = seen.p99! >= p99!.low && seen.p99! <= p99!.high
  const isNear = Math.abs(seen.p99! / p99!.value - 1) <= NEAR.p99
  const isUse = use === null || Math.abs(use / predictedUse - 1) <= NEAR.use
  const p99Text = isIn
    ? 'The p99 is as predicted'
    : isNear
      ? 'The p99 is near what was predicted'
      : 'The p99 is not as predicted'
  const asTold = isIn || isNear
  const useText = isUse
    ? asTold
      ? ', and so is the use'
      : '; the use is'
    : asTold
      ? '; the use is not'
      : ', nor is the use'
  return `${p99Text}${useText}.${rests}`
}

function whySpoilt(
  { cpus: limit }: JudgedForm,
  seen: MixSeen,
  { count, cpus }: { count: number; cpus: number },
): string | null {
  if (seen.otherCpus !== null && seen.otherCpus > MAX_OTHERS * cpus)
    return `others used ${seen.otherCpus.toFixed(1)} of ${cpus} CPUs`
  if (seen.limitedBecause !== null) return `the sender was the bottleneck: ${seen.limitedBecause}`
  if (seen.failed > 0.05) return `${Math.round(100 * seen.failed)} % of the requests failed`
  if (count * limit > cpus - OF_SENDER) return 'the sender needed a part of the same CPUs'
  return null
}
