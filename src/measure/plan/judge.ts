// How many containers of a form keep the p99, and what they cost.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PlanConfiguration } from '../results/plan-result.js'
import { meanDemand } from './calibration.js'
import { EDGE, fewestContainers, tightest, cpuUses, type Form } from './candidates.js'
import { meanRate } from './model/arrivals.js'
import { draw, DRAWS, rangeOf, type DrawPlan, type Drawn } from './draws.js'
import type { ResolvedPlan } from './options.js'

/** So many draws must keep the p99. */
const ENOUGH = 10
/** More containers than that are no answer: then more of them hardly help. */
const MOST_TIMES = 3
const MOST_MORE = 4
/** Share of the time. */
const MUCH_FROZEN = 0.02
const GB = 1024 ** 3
/** The primary that watches over several instances: about a process without an app. */
const PRIMARY_BYTES = 45 * 1024 ** 2
/** A worker thread, with its own heap and modules: rather more than less. */
const THREAD_BYTES = 12 * 1024 ** 2

export interface JudgedForm extends PlanConfiguration {
  readonly form: Form
  readonly isKept: boolean
}

/** The fewest containers that hold; where none do, the best that was tried. */
export async function judgeForm(form: Form, plan: ResolvedPlan): Promise<JudgedForm> {
  const fewest = fewestContainers(form, plan.arrivals, plan.rate) + plan.spare
  const most = Math.max(fewest * MOST_TIMES, fewest + MOST_MORE)
  const tried = new Map<number, JudgedForm>()
  const look = async (containers: number): Promise<JudgedForm> => {
    await nextTurn() // Ctrl-C must be heard
    plan.signal.throwIfAborted()
    const judged = tried.get(containers) ?? judgeOne(form, plan, containers)
    tried.set(containers, judged)
    return judged
  }
  const first = await look(fewest)
  if (first.isKept) return first
  if (isHopeless(form, plan) || !(await look(most)).isKept)
    return { ...first, ...whyNever(form, plan, first) }
  let [below, above] = [fewest, most]
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2)
    if ((await look(middle)).isKept) above = middle
    else below = middle
  }
  return look(above)
}

/** One request alone takes longer. */
function isHopeless({ calibration, shape }: Form, { p99 }: ResolvedPlan): boolean {
  const { main, pool, uv, wait } = meanDemand(calibration.routes)
  const { levels } = calibration
  const cpuMs = (main + pool + uv) * levels.at(-1)!.main
  return wait + cpuMs / Math.min(1, shape.cpus) > 2 * p99
}

function whyNever(
  { shape }: Form,
  { p99 }: ResolvedPlan,
  { use, containers, frozen, p99: range }: JudgedForm,
): { reason: string } {
  const quota = `: it spends its ${Math.round(shape.cpus * 100)} ms of each 100 ms, and then stands still`
  const cause = frozen > MUCH_FROZEN ? quota : ''
  const seen = `with ${containers} the p99 is ${Math.round(range!.value)} ms at a use of ${Math.round(100 * use)} %`
  return { reason: `no number of them keeps ${p99} ms; ${seen}${cause}` }
}

function judgeOne(form: Form, plan: ResolvedPlan, containers: number): JudgedForm {
  const { arrivals, rate, seed, spare, p99 } = plan
  const drawPlan: DrawPlan = { calibration: form.calibration, arrivals, rate, seed }
  const whole = draw(drawPlan, form.shape, containers)
  const rest = spare === 0 ? whole : draw(drawPlan, form.shape, containers - spare)
  const keeps = whole.p99s.map((value, index) => value <= p99 && rest.p99s[index]! <= p99)
  const holds = keeps.filter(Boolean).length
  const left = tightest(cpuUses(form, meanRate(arrivals, rate), containers - spare))
  const memoryBytes = memoryOf(form, containers)
  const isKept = holds >= ENOUGH && left <= EDGE
  return {
    containers,
    cpus: form.shape.cpus,
    instances: form.shape.instances,
    threads: form.shape.threads,
    use: whole.use,
    busy: whole.busy,
    frozen: whole.frozen,
    p99: rangeOf(whole.p99s),
    paths: pathsOf(form, whole),
    holds: holds / DRAWS,
    memoryBytes,
    price: priceOf(form, containers, { memoryBytes, prices: plan.prices }),
    moves: [...form.moves],
    form,
    isKept,
    reason: isKept ? 'holds' : whyNot({ holds, left, spare }),
  }
}

function whyNot({ holds, left, spare }: { holds: number; left: number; spare: number }): string {
  const without = spare === 0 ? '' : ` when ${spare === 1 ? 'one is' : `${spare} are`} lost`
  if (left > EDGE) return `a use of ${Math.round(100 * left)} %${without} is too near the edge`
  return `only ${holds} of ${DRAWS} draws keep the p99${without}`
}

function pathsOf({ calibration }: Form, { paths }: Drawn): PlanConfiguration['paths'] {
  return calibration.routes.map(({ path }, index) => ({ path, ...paths[index]! }))
}

function memoryOf({ shape, calibration, moves }: Form, containers: number): number | null {
  const { memoryBytes } = calibration
  if (memoryBytes === null) return null
  const process = memoryBytes + (moves.length > 0 ? shape.threads * THREAD_BYTES : 0)
  const primary = shape.instances > 1 ? PRIMARY_BYTES : 0
  return containers * (shape.instances * process + primary)
}

function priceOf(
  { shape }: Form,
  containers: number,
  { memoryBytes, prices }: { memoryBytes: number | null; prices: ResolvedPlan['prices'] },
): number | null {
  if (prices === null) return null
  return containers * shape.cpus * prices.cpu + ((memoryBytes ?? 0) / GB) * prices.gb
}
