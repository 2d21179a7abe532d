// The head of the page: what to do, for each variant and CPU limit, and why.

import type { Advice, MeasureResult, Reason } from '../../results/result.js'
import type { ServerAdvice, ServerResult } from '../../results/server-result.js'
import { cellVerdict, configurationName, groupVariants, hasVariants } from '../figures/cell-groups.js'
import { describeEvidence } from '../figures/describe-run.js'
import { textMark } from '../markup/executor-mark.js'
import { formatCpuLimit, formatMs, formatPercent } from '../figures/format-number.js'
import { markup, type Markup, type MarkupPart } from '../markup/markup.js'
import { variantHeading } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { badge } from '../markup/verdict-badge.js'

export function verdictSection(result: MeasureResult): Markup {
  const blocks = groupVariants(result).map(({ variant, groups }) => {
    const advice = groups.flatMap((group) => (group.advice ? [group.advice] : []))
    return advice.length === 0
      ? null
      : markup`${variantHeading(hasVariants(result.workload), variant)}${scoutLine(result, variant)}${verdictList(advice, choice)}`
  })
  return answer(result, blocks)
}

/** The same for a server. */
export function serverVerdictSection(result: ServerResult): Markup {
  return answer(result, verdictList(result.advice, serverChoice))
}

/** The sentences once more, for the end of a long page. */
export function verdictAgain(
  advice: readonly { readonly cpus: number; readonly sentence: string }[],
): Markup | null {
  if (advice.length === 0) return null
  const items = advice.map(
    ({ cpus, sentence }) =>
      markup`<li><p class="limit">${typeset(formatCpuLimit(cpus))}</p><div><p class="sentence">${sentence}</p></div></li>\n`,
  )
  return markup`<ol class="verdicts">${items}</ol>`
}

function answer({ advice, complete }: MeasureResult | ServerResult, verdicts: MarkupPart): Markup {
  const ended = complete
    ? null
    : markup`<p class="notice">The run ended before everything was measured. The figures below are what there was until then.</p>`
  const none = markup`<p class="sentence">No verdict: there is nothing to compare.</p>`
  return markup`<section class="answer"><h1>What to run</h1>${advice.length === 0 ? none : verdicts}${ended}</section>\n`
}

function scoutLine({ workload }: MeasureResult, variant: string): Markup | null {
  const scout = workload.scout[variant]
  const task = workload.variants[variant]
  if (!scout) return null
  const time = typeset(formatMs(scout.callUs / 1000))
  const share = typeset(formatPercent(scout.cpuShare * 100))
  return markup`<p class="scout">One inline call${task ? markup` of <code>${task}</code>` : null} takes ${time}, ${share} of it CPU.</p>`
}

/** What a verdict says for all that is measured. */
type Verdicts = Pick<Advice, 'cpus' | 'sentence'> & { readonly reasons: readonly Reason[] }

function verdictList<Of extends Verdicts>(advice: readonly Of[], choiceOf: (advice: Of) => Markup): Markup {
  const items = advice.map((one) => {
    const { cpus, sentence, reasons } = one
    const list = reasons.length === 0 ? null : markup`<ul class="reasons">${reasons.map(reasonItem)}</ul>`
    return markup`<li><p class="limit">${typeset(formatCpuLimit(cpus))}</p><div><p class="sentence">${sentence}</p><p class="choice">${choiceOf(one)}</p>${list}</div></li>\n`
  })
  return markup`<ol class="verdicts">${items}</ol>`
}

/** What is advised; beside it how that compares, or how near the others came when inline is advised. */
function choice(advice: Advice): Markup {
  const name = markup`${textMark(advice.executor)} ${configurationName(advice)}`
  return pick(name, advice, advice.executor === 'inline')
}

function serverChoice(advice: ServerAdvice): Markup {
  const { way, instances } = advice
  return pick(way === 'single' ? 'one process' : `${instances} instances`, advice, way === 'single')
}

function pick(
  name: MarkupPart,
  { verdict, isSettled }: Pick<Advice, 'verdict' | 'isSettled'>,
  isBaseline: boolean,
) {
  const word = cellVerdict({ verdict, noGain: isBaseline && isSettled && verdict === 'cannot-tell' })
  return markup`<span class="pick">${name}</span> ${badge(verdict, isBaseline ? `best other: ${word}` : word)}`
}

function reasonItem(reason: Reason): Markup {
  const evidence = describeEvidence(reason)
  return markup`<li class="${reason.level === 'warning' ? 'warning' : 'hint'}">${reason.sentence}${evidence ? markup` <span class="evidence">${evidence}</span>` : null}</li>`
}
