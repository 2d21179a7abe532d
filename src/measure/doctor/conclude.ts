// What a diagnosis says in a sentence, and the result that it is part of.

import type { DoctorProblem, DoctorResult, DoctorTrial } from '../results/doctor-result.js'
import { ANSWER_SECONDS, AppBlocked, AppEnded } from './agent/agent-server.js'
import type { FoundFunctions } from './find-functions.js'
import type { ResolvedDoctor } from './options.js'
import type { ProfileShares } from './profile/profile-shares.js'
import { shownCommand } from './shown-words.js'
import { applyCommand } from './try/trial-sentence.js'

/** Of the busy time: less than this is no reason to look for what makes the garbage. */
const MUCH_GARBAGE = 0.15

/** What to do next, the largest share first. */
export function nextSteps({ functions, shares }: Pick<DoctorResult, 'functions' | 'shares'>): string[] {
  const steps = stepsOfFunctions(functions)
  return steps.length > 0 ? steps : stepOfGarbage(functions, shares?.collection ?? 0)
}

/** Where nothing can move, and much of the time is garbage collection. */
function stepOfGarbage(functions: DoctorResult['functions'], collection: number): string[] {
  const isHandler = ({ name }: DoctorResult['functions'][number]) => / (\/\S*|callback)$/.test(name)
  const [largest] = functions
    .filter((each) => !isHandler(each))
    .toSorted((a, b) => b.inclusiveShare - a.inclusiveShare)
  if (collection < MUCH_GARBAGE || !largest) return []
  const { name, file, line, inclusiveShare } = largest
  return [
    `Copy less in ${name} (${file}:${line}, ${Math.round(inclusiveShare * 100)} % of the busy time): ${Math.round(collection * 100)} % is garbage collection, and a thread would make as much.`,
  ]
}

function stepsOfFunctions(functions: DoctorResult['functions']): string[] {
  // Of those that take the same time the outermost, whose calls are the longest.
  const bySize = [...functions].sort(
    (a, b) =>
      Math.round(100 * b.inclusiveShare) - Math.round(100 * a.inclusiveShare) ||
      (b.callMs ?? 0) - (a.callMs ?? 0),
  )
  return bySize
    .flatMap(({ verdict, name, file, line, inclusiveShare, reasons, task }) => {
      const what = `${name} (${file}:${line}, ${Math.round(inclusiveShare * 100)} % of the busy time)`
      const isWithoutInputs = reasons.some((reason) => reason.includes('so none are written'))
      if (verdict === 'move' && task && isWithoutInputs)
        return [
          `Measure ${what}, after you have given inputs to ${task.workload}: npx threadwise measure ${task.workload}`,
        ]
      if (verdict === 'move' && task) return [`Measure ${what}: npx threadwise measure ${task.workload}`]
      return verdict === 'use the async version' ? [`Change ${what}: ${reasons.join('; ')}.`] : []
    })
    .slice(0, 3)
}

/** Null: no patch is offered. */
export function stepsOfTrial(trial: DoctorTrial, paths: readonly string[]): string[] | null {
  if (trial.patchFile === null) return null
  const command = applyCommand(trial)
  const apply =
    command === null ? [] : [`${trial.isApplied ? 'Install what it needs' : 'Take the change'}: ${command}`]
  const [path = '/'] = paths
  const url = `http://localhost:3000${path}`
  const load = `npx threadwise load ${/[?&*]/.test(url) ? `'${url}'` : url} --duration 5`
  const where = `at its own port${path.includes('...') ? ', with your values in place of ...' : ''}`
  if (trial.isApplied) return [...apply, `See what your app answers now, ${where}: ${load}`]
  return [
    `Measure your app as it is, ${where}: ${load} --json before.json`,
    ...apply,
    `Start your app anew, and see what it gained: ${load} --baseline before.json`,
  ]
}

/** Of the busy time: of less nobody waits for a verdict. */
const WORTH_CALLS = 0.05

/** What to do where calls of large functions were too few to judge them; empty: there were enough. */
export function tooFew(functions: DoctorResult['functions']): string {
  const few = functions.filter(
    ({ verdict, inclusiveShare, reasons }) =>
      verdict === null &&
      inclusiveShare >= WORTH_CALLS &&
      reasons.some((reason) => reason.includes('with --rate, or look for longer')),
  )
  if (few.length === 0) return ''
  const names = few.slice(0, 3).map(({ name }) => name)
  return ` Too few calls of ${names.join(', ')} came to judge ${few.length > 1 ? 'them' : 'it'}: send more, with --rate, or look for longer at requests of your own, with --for.`
}

/** Below this share of its time a loop is idle, and nothing is worth moving. */
const IDLE = 0.05
/** Above this share of the busy time native code decides. */
const MOSTLY = 0.8

export function emptyResult({ command }: ResolvedDoctor, kind: DoctorResult['kind']): DoctorResult {
  return {
    version: 1,
    date: new Date().toISOString(),
    node: process.version,
    command: shownCommand(command),
    kind,
    complete: true,
    sentence: '',
    problem: null,
    load: null,
    loop: { busy: null, delayMs: { p50: null, p99: null } },
    shares: null,
    functions: [],
    packages: [],
    predictions: [],
    trial: null,
    cost: null,
    trace: null,
    files: [],
    steps: [],
  }
}

export function problemResult(
  options: ResolvedDoctor,
  problem: DoctorProblem,
  sentence: string,
): DoctorResult {
  return { ...emptyResult(options, null), problem, sentence }
}

/** What an app that is gone or silent says of itself; everything else is thrown again. */
export function lostResult(options: ResolvedDoctor, error: unknown, lastError = ''): DoctorResult {
  if (error instanceof AppEnded)
    return problemResult(options, 'crashed', `The app ended while it was looked at${lastError}.`)
  if (!(error instanceof AppBlocked)) throw error
  return problemResult(
    options,
    'blocked',
    `The event loop of the app did not turn for ${ANSWER_SECONDS} s: a call takes longer than that, or never ends. Find it with node --cpu-prof, or with a path that answers.`,
  )
}

export function sharesOf<Key>(shares: ProfileShares<Key>): DoctorResult['shares'] {
  const { busyUs, packagesUs, collectionUs, nativeUs, functions } = shares
  if (busyUs === 0) return null
  const yoursUs = functions.reduce((sum, { ownUs }) => sum + ownUs, 0)
  const [yours, packages, collection, native] = [yoursUs, packagesUs, collectionUs, nativeUs].map(
    (us) => us / busyUs,
  ) as [number, number, number, number]
  return { yours, packages, collection, native }
}

interface Seen {
  loop: DoctorResult['loop']
  found: FoundFunctions
  origin: string | null
  /** How many requests failed, and why. */
  failure: string | null
}

export function describeLoop({
  loop,
  found,
  origin,
  failure,
}: Seen): Pick<DoctorResult, 'sentence' | 'problem'> {
  const busy = `${Math.round((loop.busy ?? 0) * 100)} %`
  const what = origin === null ? 'The program is busy' : 'The event loop is busy'
  const delay =
    loop.delayMs.p99 === null ? '' : `; p99 of its delay is ${Number(loop.delayMs.p99.toPrecision(2))} ms`
  const failed = failure === null ? '' : ` ${failure}.`
  const start = `${what} ${busy} of the time${delay}.${failed}`
  if ((loop.busy ?? 1) < IDLE)
    return {
      sentence: `${start} It mostly waits, so moving something would gain little.`,
      problem: 'idle',
    }
  const shares = sharesOf(found.shares)
  if (shares && shares.native + shares.collection > MOSTLY)
    return {
      sentence: `${start} Nearly all of that is native code and garbage collection outside of your functions, which no function of yours can take along.`,
      problem: 'native-only',
    }
  return { sentence: start, problem: null }
}
