// The parts of the terminal report below the table: findings, skipped limits, the machine, and how to repeat the run.

import type { Advice, MachineFacts, MeasureResult, NoiseFacts, Reason } from '../../results/result.js'
import { groupTitle } from '../figures/cell-groups.js'
import { describeEvidence, describeMachine, noiseFigures } from '../figures/describe-run.js'
import { formatCpuLimit } from '../figures/format-number.js'
import type { Canvas } from './paint.js'
import { hangingText, oneLine, wrapText } from './plain-text.js'

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
    hangingText('  ', `${formatCpuLimit(cpus)}: ${reason}`, width),
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

// Breaks a shell command into lines that can still be pasted into a shell.

type Quote = '"' | "'" | ''

/**
 * Lines of at most `width` columns, joined by a backslash. Breaks between arguments; an argument longer than a line is
 * broken inside, in a way that a POSIX shell puts together again: inside double quotes and outside quotes backslash-newline
 * is nothing, inside single quotes the quotes are closed and opened again.
 */
export function shellLines(command: string, width: number): string[] {
  const room = width - 2
  const lines: string[] = []
  let line = ''
  for (const argument of splitArguments(command)) {
    if (line !== '' && line.length + 1 + argument.length > room) {
      lines.push(`${line} \\`)
      line = ''
    }
    const separated = line === '' ? (lines.length > 0 ? '  ' : '') : ' '
    if (line === '' && separated.length + argument.length > room) {
      const pieces = breakArgument(argument, room)
      lines.push(...pieces.slice(0, -1))
      line = pieces.at(-1) ?? ''
    } else line += separated + argument
  }
  return [...lines, line]
}

function splitArguments(command: string): string[] {
  const words: string[] = []
  let word = ''
  let quote: Quote = ''
  for (const character of command.trim()) {
    quote = nextQuote(quote, character, word)
    if (character === ' ' && quote === '') {
      if (word !== '') words.push(word)
      word = ''
    } else word += character
  }
  return [...words, word]
}

function breakArgument(argument: string, room: number): string[] {
  const lines: string[] = []
  let line = ''
  let quote: Quote = ''
  for (const character of argument) {
    // Never between a backslash and what it escapes.
    if (line.length >= room - 1 && !line.endsWith('\\')) {
      lines.push(quote === "'" ? `${line}'\\` : `${line}\\`)
      line = quote === "'" ? "'" : ''
    }
    quote = nextQuote(quote, character, line)
    line += character
  }
  return [...lines, line]
}

function nextQuote(quote: Quote, character: string, before: string): Quote {
  if (quote !== "'" && before.endsWith('\\')) return quote
  if (quote === '') return character === '"' || character === "'" ? character : ''
  return character === quote ? '' : quote
}
