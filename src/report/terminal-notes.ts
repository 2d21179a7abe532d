// The parts of the terminal report below the table: findings, skipped limits, the machine, and how to repeat the run.

import type { Advice, MachineFacts, MeasureResult, NoiseFacts, Reason } from '../measure/result.js'
import { groupTitle } from './cell-groups.js'
import { describeEvidence, describeMachine, noiseFigures } from './describe-run.js'
import { formatCpus } from './format-number.js'
import type { Canvas } from './paint.js'
import { hangingText, oneLine, wrapText } from './plain-text.js'
import { shellLines } from './shell-lines.js'

/** Each finding once, with the groups that it holds for and the figures that it rests on. */
export function findingLines({ advice, workload }: MeasureResult, { paint, width }: Canvas): string[] {
  const findings = collectFindings(advice)
  if (findings.length === 0) return []
  const lines = findings.flatMap(({ reason, holdsFor }) => {
    const where =
      holdsFor.length === advice.length
        ? ''
        : `${holdsFor.map((one) => groupTitle(one, workload)).join(' and ')}: `
    const mark = reason.level === 'warning' ? '  ! ' : '  - '
    const sentence = hangingText(mark, `${where}${reason.sentence}`, width)
    const evidence = describeEvidence(reason)
    return [
      ...(reason.level === 'warning' ? sentence.map(paint.warning) : sentence),
      ...(evidence ? hangingText('    ', evidence, width).map(paint.faint) : []),
    ]
  })
  return [paint.strong('Why'), ...lines]
}

export function skippedLines(
  { skipped }: Pick<MeasureResult, 'skipped'>,
  { paint, width }: Canvas,
): string[] {
  if (skipped.length === 0) return []
  const lines = skipped.flatMap(({ cpus, reason }) =>
    hangingText('  ', `${formatCpus(cpus)}: ${reason}`, width),
  )
  return [paint.strong('Not measured'), ...lines]
}

/** How quiet the machine was, and which machine it was. */
export function machineLines(
  { noise, machine }: { noise: NoiseFacts; machine: MachineFacts },
  { paint, width }: Canvas,
): string[] {
  const figures = noiseFigures(noise).join(', ')
  const verdict = wrapText(`machine: ${noise.verdict}${figures ? ` (${figures})` : ''}`, width)
  const lines = [
    ...(noise.verdict === 'quiet' ? verdict : verdict.map(paint.warning)),
    ...noise.reasons.flatMap((reason) => hangingText('  - ', reason, width)),
    ...hangingText('  ', describeMachine(machine), width).map(paint.faint),
  ]
  if (machine.unavailable.length === 0) return lines
  const missing = `not available here: ${machine.unavailable.join(', ')}`
  return [...lines, ...hangingText('  ', missing, width).map(paint.faint)]
}

/** The command in a form that can be pasted. */
export function repeatLines(command: string, { paint, width }: Canvas): string[] {
  return [paint.strong('Repeat this run'), ...shellLines(oneLine(command), width)]
}

function collectFindings(advice: Advice[]): { reason: Reason; holdsFor: Advice[] }[] {
  const findings = new Map<string, { reason: Reason; holdsFor: Advice[] }>()
  for (const one of advice) {
    for (const reason of one.reasons) {
      const key = JSON.stringify(reason)
      const known = findings.get(key)
      if (known) known.holdsFor.push(one)
      else findings.set(key, { reason, holdsFor: [one] })
    }
  }
  return [...findings.values()]
}
