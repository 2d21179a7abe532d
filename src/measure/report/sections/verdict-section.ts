// The head of the page: what to do, per variant and CPU limit, and why.

import type { Advice, MeasureResult, Reason } from '../../results/result.js'
import { configurationName, groupVariants, hasVariants, verdictWord } from '../figures/cell-groups.js'
import { describeEvidence } from '../figures/describe-run.js'
import { textMark } from '../markup/executor-mark.js'
import { formatCpus, formatMs, formatPercent } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { variantHeading } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { badge } from '../markup/verdict-badge.js'

export function verdictSection(result: MeasureResult): Markup {
  const variants = groupVariants(result)
  const ended = result.complete
    ? null
    : markup`<p class="notice">The run ended before its last round. The figures below are what there was until then.</p>`
  const none = markup`<p class="sentence">No verdict: there is nothing to compare.</p>`
  const blocks = variants.map(({ variant, groups }) => {
    const advice = groups.flatMap((group) => (group.advice ? [group.advice] : []))
    return advice.length === 0
      ? null
      : markup`${variantHeading(hasVariants(result.workload), variant)}${scoutLine(result, variant)}<ol class="verdicts">${advice.map(verdictItem)}</ol>`
  })
  return markup`<section class="answer"><h1>What to run</h1>${result.advice.length === 0 ? none : blocks}${ended}</section>\n`
}

function scoutLine({ workload }: MeasureResult, variant: string): Markup | null {
  const scout = workload.scout[variant]
  const task = workload.variants[variant]
  if (!scout) return null
  const time = typeset(formatMs(scout.callUs / 1000))
  const share = typeset(formatPercent(scout.cpuShare * 100))
  return markup`<p class="scout">One inline call${task ? markup` of <code>${task}</code>` : null} takes ${time}, ${share} of it CPU.</p>`
}

function verdictItem(advice: Advice): Markup {
  const { cpus, sentence, reasons } = advice
  const list = reasons.length === 0 ? null : markup`<ul class="reasons">${reasons.map(reasonItem)}</ul>`
  return markup`<li><p class="limit">${typeset(formatCpus(cpus))}</p><div><p class="sentence">${sentence}</p><p class="choice">${choice(advice)}</p>${list}</div></li>\n`
}

/** What is advised; beside it how that compares, or how near the others came when inline is advised. */
function choice(advice: Advice): Markup {
  const word = verdictWord(advice.verdict)
  const text = advice.executor === 'inline' ? `best other: ${word}` : word
  return markup`<span class="pick">${textMark(advice.executor)} ${configurationName(advice)}</span> ${badge(advice.verdict, text)}`
}

function reasonItem(reason: Reason): Markup {
  const evidence = describeEvidence(reason)
  return markup`<li class="${reason.level === 'warning' ? 'warning' : 'hint'}">${reason.sentence}${evidence ? markup` <span class="evidence">${evidence}</span>` : null}</li>`
}
