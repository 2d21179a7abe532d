// `threadwise compare --bisect good..bad`: the commit with which a difference came, by comparisons with the good state.
//
// A commit counts as bad when it has more than half of the difference between the two ends (in logarithms): as far as can be from both, so
// that each run is short, and noise decides nothing.

import { checkOption } from '../../errors/check-options.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { openRange, type CommitRange } from '../../measure/checkout/commits.js'
import { bisect, bisectSentence, type Tested } from '../../measure/compare/bisect.js'
import { costOf, isAsked, parseCompareExpectation } from '../../measure/compare/expectation.js'
import type { CompareProgress, VersionOptions } from '../../measure/compare/options.js'
import type {
  BisectFacts,
  CompareMetric,
  CompareResult,
  Comparison,
} from '../../measure/results/compare-result.js'
import { checkedOutVersion, type CheckedOut, type CheckoutEvents } from './checked-out-version.js'
import { compareOnce, type CompareRequest, type CompareFlags } from './compare-once.js'

export interface BisectFlags extends CompareFlags {
  /** `good..bad`. */
  readonly range: string
}

interface Search extends CheckoutEvents {
  readonly files: readonly string[]
  readonly flags: BisectFlags
  readonly onProgress: (step: CompareProgress) => void
  readonly range: CommitRange
  readonly good: CheckedOut
}

/** What parts the two ends. */
interface Difference {
  readonly workload: string
  readonly metric: CompareMetric
  /** Times of the good state, as a share more: beyond it a commit is bad. */
  readonly most: number
}

/** Of these a commit is skipped: it is not built, lacks the function, or does not run. */
const UNTESTABLE = ['TW_ERR_VERSION_UNAVAILABLE', 'TW_ERR_WORKLOAD_INVALID', 'TW_ERR_INSTANCE_FAILED']

/** A run that does not tell is made once more, so many times as long. */
const AGAIN = 2

const TOLERANCE = { least: 0.005, most: 1 }

/**
 * The result is that of the commit and the one before it, or of the two ends where none was found.
 *
 * @throws TW_ERR_INVALID_OPTION, TW_ERR_VERSION_UNAVAILABLE; the reason of the signal
 */
export async function runBisect(
  files: readonly string[],
  flags: BisectFlags,
  outside: CheckoutEvents & Pick<Search, 'onProgress'>,
): Promise<CompareResult> {
  const [from, to] = endsOf(flags, files)
  const range = await openRange(from, to, { folder: process.cwd(), signal: outside.signal })
  outside.note(`Comparing ${to} with ${from} ...`)
  const good = await checkedOutVersion(files, { ...flags, ref: range.good, name: from }, outside)
  const search: Search = { ...outside, files, flags, range, good }
  try {
    const bad = await checkedOutVersion(files, { ...flags, ref: range.bad, name: to }, outside)
    const ends = await compareIn(search, { old: good, now: bad }, { flags, asked: {} }).finally(bad.release)
    const difference = differenceOf(ends, flags)
    return difference === null ? withFacts(ends, search, null) : await find(search, ends, difference)
  } finally {
    good.release()
  }
}

function endsOf(flags: BisectFlags, files: readonly string[]): [string, string] {
  const { range, against, node, with: sets, task = [], variants, expect = [], strict } = flags
  const ways = [against, node, sets, variants].filter((way) => way !== undefined)
  checkOption(
    ways.length === 0,
    'bisect',
    'used without --against, --node, --with and --variants: the commits are the versions',
    range,
  )
  checkOption(files.length === 1 && task.length <= 1, 'bisect', 'used with one file, and one --task', files)
  checkOption(
    expect.length <= 1,
    'expect',
    'given once with --bisect: what the bad commit misses',
    expect.map(({ text }) => text),
  )
  checkOption(strict !== true, 'strict', 'left out with --bisect', strict)
  const [, from, to] = /^([^.-](?:[^.]|\.(?!\.))*)\.\.([^.-](?:[^.]|\.(?!\.))*)?$/.exec(range) ?? []
  checkOption(from !== undefined, 'bisect', 'two commits, branches or tags, such as v1.0.0..main', range)
  return [from!, to ?? 'HEAD']
}

function expectedOf({ expect: [expected] = [] }: CompareFlags) {
  return expected ?? parseCompareExpectation('slower<5%')
}

/** The one that is clearest; null: the bad state is not worse for sure. */
function differenceOf({ comparisons, noise }: CompareResult, flags: CompareFlags): Difference | null {
  const { metric, most } = expectedOf(flags)
  const isCounted = metric === 'allocated' || metric === 'memory'
  if (noise.verdict === 'unusable' && !isCounted) return null
  const worse = comparisons
    .filter((each) => isAsked(each, metric) && costOf(each).low > 1 + most)
    .sort((a, b) => costOf(b).low - costOf(a).low)[0]
  if (worse === undefined) return null
  return { workload: worse.workload, metric: worse.metric, most: Math.sqrt(costOf(worse).value) - 1 }
}

async function find(search: Search, ends: CompareResult, difference: Difference): Promise<CompareResult> {
  const { range, note } = search
  const tested: BisectFacts['tested'] = []
  const budget = ends.settings.budgetSeconds
  const isOneOfMany = new Set(ends.comparisons.map(({ workload }) => workload)).size > 1
  const variant = isOneOfMany ? difference.workload : undefined
  const found = await bisect(range.good, range.bad, {
    suspects: (bad, goods) => range.suspects(bad, goods),
    onStep: (left) =>
      note(
        `${left} commits are left, in about ${Math.ceil(Math.log2(left))} runs of at most ${budget} s ...`,
      ),
    async test(commit) {
      const outcome = await test(search, commit, { ...difference, budget, variant })
      if ('skipped' in outcome) note(`Skipped ${short(commit)}: ${outcome.skipped}`)
      else {
        tested.push({ commit, isBad: outcome.isBad, ratio: outcome.ratio })
        note(
          `${short(commit)} is ${outcome.isBad ? 'bad' : 'good'}: ${difference.metric} ${outcome.ratio.value.toFixed(3)}x`,
        )
      }
      return outcome
    },
  })
  const skipped = [...found.skipped].map(([commit, reason]) => ({ commit, reason }))
  const isFound = found.suspects.length === 1
  const first = isFound ? await range.factsOf(found.suspects[0]!) : null
  const { workload, metric } = difference
  const facts: BisectFacts = { workload, metric, first, suspects: [...found.suspects], tested, skipped }
  const result = first === null ? ends : await ofCommit(search, first.commit, { ends, variant })
  return withFacts(result, search, facts)
}

interface HowToTest extends Difference {
  /** Seconds of a run. */
  readonly budget: number
  readonly variant: string | undefined
}

type Outcome = Tested & { readonly ratio: Comparison['ratio'] }

/** In its own checkout, which goes with it. */
async function test(search: Search, commit: string, how: HowToTest): Promise<Outcome | { skipped: string }> {
  const { files, flags, good } = search
  try {
    const own = await checkedOutVersion(files, { ...flags, ref: commit, name: short(commit) }, search)
    try {
      return await testIn(search, { old: good, now: own }, how)
    } finally {
      own.release()
    }
  } catch (error) {
    if (!isThreadwiseError(error) || !UNTESTABLE.includes(error.code)) throw error
    return { skipped: error.message }
  }
}

interface Pair {
  readonly old: CheckedOut
  readonly now: CheckedOut
}

async function testIn(search: Search, pair: Pair, how: HowToTest): Promise<Outcome | { skipped: string }> {
  const { metric, workload, most, variant } = how
  const isCounted = metric === 'allocated' || metric === 'memory'
  // What is counted is known at once: the time of a gate that any time passes ends the run.
  const tolerance = isCounted ? TOLERANCE.most : Math.min(TOLERANCE.most, Math.max(TOLERANCE.least, most))
  let reason = 'it cannot be told'
  for (const times of [1, AGAIN]) {
    const flags = { ...search.flags, budget: times * how.budget }
    const result = await compareIn(search, pair, { flags, variant, asked: { tolerance, isGate: true } })
    const { comparisons, skipped, noise } = result
    const seen = comparisons.find((each) => each.metric === metric && each.workload === workload)
    const isUsable = isCounted || noise.verdict !== 'unusable'
    if (seen && isUsable) {
      const { low, high } = costOf(seen)
      if (low > 1 + most) return { isBad: true, ratio: seen.ratio }
      if (high < 1 + most) return { isBad: false, ratio: seen.ratio }
    }
    reason = skipped[0]?.reason ?? (isUsable ? 'it cannot be told' : 'the machine was too busy')
  }
  return { skipped: reason }
}

interface How {
  readonly flags: CompareFlags
  readonly variant?: string | undefined
  readonly asked: Omit<CompareRequest, 'signal' | 'onProgress'>
}

async function compareIn(
  { signal, onProgress }: Search,
  { old, now }: Pair,
  { flags, variant, asked }: How,
): Promise<CompareResult> {
  const versions = [old, now].map(({ version }): VersionOptions => ({ ...version, variant }))
  const result = await compareOnce(versions, flags, { ...asked, signal, onProgress })
  signal.throwIfAborted()
  return result
}

/** The commit and the one before it, with all the time of a run; where that cannot be tested, what is known of the two ends. */
async function ofCommit(
  search: Search,
  commit: string,
  { ends, variant }: { ends: CompareResult; variant: string | undefined },
): Promise<CompareResult> {
  const { range, files, flags, good } = search
  const parent = await range.parentOf(commit)
  if (parent === null || (parent === range.good && commit === range.bad)) return ends
  const opened: CheckedOut[] = []
  const open = async (ref: string) => {
    const one = await checkedOutVersion(files, { ...flags, ref, name: short(ref) }, search)
    opened.push(one)
    return one
  }
  try {
    search.note(`Comparing ${short(commit)} with the commit before it ...`)
    const old = parent === range.good ? good : await open(parent)
    return await compareIn(search, { old, now: await open(commit) }, { flags, variant, asked: {} })
  } catch (error) {
    if (!isThreadwiseError(error) || !UNTESTABLE.includes(error.code)) throw error
    return ends
  } finally {
    for (const { release } of opened) release()
  }
}

function withFacts(result: CompareResult, { flags }: Search, facts: BisectFacts | null): CompareResult {
  const { metric, text } = expectedOf(flags)
  const none: BisectFacts = { workload: '', metric, first: null, suspects: [], tested: [], skipped: [] }
  const bisect = facts ?? none
  return { ...result, bisect, sentence: `${bisectSentence(bisect, text)} ${result.sentence}` }
}

function short(commit: string): string {
  return commit.slice(0, 10)
}
