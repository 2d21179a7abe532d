// What came of a trial, in a sentence; and whether its patch is worth offering.

import type { DoctorTrial, DoctorTrialRatio } from '../../results/doctor-result.js'

type Tried = Pick<DoctorTrial, 'before' | 'after' | 'ratios' | 'responses' | 'functions' | 'forms'>

/** A loss of requests per second that a faster page does not make up for. */
const MOST_LOST = 0.9

export interface TrialJudgement {
  readonly isWorth: boolean
  /** Why not; null: it is. */
  readonly why: string | null
}

export function judgeTrial({ ratios, responses }: Tried, example: string | null): TrialJudgement {
  if (responses.compared === 0) return { isWorth: false, why: 'no responses could be compared' }
  if (responses.equal < responses.compared)
    return {
      isWorth: false,
      why: `${responses.compared - responses.equal} of ${responses.compared} responses differ${example === null ? '' : ` (${example})`}`,
    }
  if (gainsOf(ratios).length === 0)
    return { isWorth: false, why: lossText(ratios) ?? 'nothing is gained that could be told' }
  const throughput = ratios.find(({ metric }) => metric === 'throughput')
  if (throughput?.verdict === 'slower' && throughput.ratio.high < MOST_LOST)
    return { isWorth: false, why: lossText([throughput]) }
  return { isWorth: true, why: null }
}

/** What users notice: longer waits, and how many fit. */
function gainsOf(ratios: readonly DoctorTrialRatio[]): DoctorTrialRatio[] {
  return ratios.filter(
    ({ metric, verdict }) => verdict === 'faster' && /^(p99|throughput|delay)$/.test(metric),
  )
}

/** Whether a smaller change gains about as much as a larger one. */
export function keepsGain(larger: Tried, smaller: Tried): boolean {
  return gainsOf(larger.ratios).every((gain) => {
    const own = smaller.ratios.find(({ path, metric }) => path === gain.path && metric === gain.metric)
    const isWithin = own !== undefined && own.ratio.low <= gain.ratio.high && own.ratio.high >= gain.ratio.low
    return isWithin && own.verdict === 'faster'
  })
}

function lossText(ratios: readonly DoctorTrialRatio[]): string | null {
  const lost = ratios.find(({ metric, verdict }) => verdict === 'slower' && metric === 'throughput')
  if (lost) return `the server answers ${range(lost.ratio)} of the requests`
  const slow = ratios.find(({ metric, verdict }) => verdict === 'slower' && metric === 'p99')
  return slow ? `${slow.path} takes ${range(slow.ratio)} as long (p99)` : null
}

export function trialSentence(tried: Tried, threads: number): string {
  const what = [...movedText(tried, threads), ...formsText(tried)].join(', and ')
  const parts = [...pathTexts(tried), ...busyText(tried), ...throughputText(tried.ratios)]
  return `${what[0]!.toUpperCase()}${what.slice(1)}: ${listed(parts)}. ${counted(tried.responses)}`
}

function namesOf({ functions }: Tried, wanted: Tried['functions'][number]['way']): string[] {
  return functions.filter(({ way }) => way === wanted).map(({ name }) => name)
}

function movedText(tried: Tried, threads: number): string[] {
  const names = namesOf(tried, 'threads')
  return names.length === 0
    ? []
    : [`move ${listed(names)} to ${threads === 1 ? 'a thread' : `${threads} threads`}`]
}

function formsText(tried: Tried): string[] {
  const forms = tried.forms.map(([blocking, form]) => `${form} in place of ${blocking}`)
  return forms.length === 0 ? [] : [`use ${listed(forms)} in ${listed(namesOf(tried, 'promise'))}`]
}

/** Null: there is nothing to do. */
export function applyCommand({ patchFile, isApplied, functions }: DoctorTrial): string | null {
  const apply = patchFile === null || isApplied ? [] : [`git apply ${patchFile}`]
  const isOnThreads = functions.some(({ way }) => way === 'threads')
  const install = patchFile !== null && isOnThreads ? ['npm install threadwise'] : []
  return [...apply, ...install].join(' && ') || null
}

export function counted({ compared, equal }: DoctorTrial['responses']): string {
  const number = (value: number) => value.toLocaleString('en-US')
  return `${number(equal)} of ${number(compared)} responses were the same.`
}

/** The path that gains most, by its slowest answers. */
function pathTexts({ ratios, before, after }: Tried): string[] {
  const faster = ratios.filter(({ metric, verdict }) => metric === 'p99' && verdict === 'faster')
  const [best] = faster.toSorted((a, b) => a.ratio.value - b.ratio.value)
  const of = (figures: Tried['before']) => figures?.paths.find(({ path }) => path === best?.path)?.p99 ?? null
  if (!best || of(before) === null || of(after) === null) return delayText(ratios, before, after)
  return [`${best.path} answers in ${ms(of(after)!)} instead of ${ms(of(before)!)} (p99)`]
}

function delayText(
  ratios: readonly DoctorTrialRatio[],
  before: Tried['before'],
  after: Tried['after'],
): string[] {
  const found = ratios.find(({ metric, verdict }) => metric === 'delay' && verdict === 'faster')
  if (!found || before?.delayMs.p99 == null || after?.delayMs.p99 == null) return []
  return [
    `others wait ${ms(after.delayMs.p99)} instead of ${ms(before.delayMs.p99)} for the event loop (p99)`,
  ]
}

function busyText({ ratios, before, after }: Tried): string[] {
  const found = ratios.find(
    ({ metric, verdict }) => metric === 'busy' && verdict !== 'cannot-tell' && verdict !== 'same',
  )
  if (!found || before?.busy == null || after?.busy == null) return []
  return [`the event loop is busy ${percent(after.busy)} instead of ${percent(before.busy)}`]
}

function throughputText(ratios: readonly DoctorTrialRatio[]): string[] {
  const found = ratios.find(({ metric }) => metric === 'throughput')
  if (!found) return []
  if (found.verdict === 'same') return ['the server answers as many requests']
  return found.verdict === 'cannot-tell' ? [] : [`the server answers ${range(found.ratio)} the requests`]
}

function range({ value, low, high }: DoctorTrialRatio['ratio']): string {
  return `${value.toPrecision(2)}x (${low.toPrecision(2)}-${high.toPrecision(2)})`
}

function listed(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}

function ms(value: number): string {
  return `${Number(value.toPrecision(2))} ms`
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}
