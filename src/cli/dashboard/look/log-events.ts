// The events of a service in the background, from the lines that it writes into its own log: they have their time, and those that came before
// anybody looked are there too.

import type { EventKind } from './view.js'
import type { NewEvent } from './event-list.js'
import { shownBytes } from './log-tail.js'

const LAST_WORDS = 5

/** What `describeEvent()` and a service say, to what it is. The first that holds counts. */
const KINDS: readonly [RegExp, EventKind][] = [
  [/^reloaded \d|: reloading$/, 'reload'],
  [/ ended .*, unexpectedly$/, 'death'],
  [/ is to be replaced: /, 'renewal'],
  [/ instances? from now on, not /, 'change'],
  [/^instance \d+ |^another one starts /, 'instance'],
  [/^starting |^stopped$|^SIG\w+: requests may end/, 'service'],
]

/** How many lines before the end of an instance may hold its last words. */
const LOOKED_BACK = 100

/** `before`: lines that came earlier. */
export function eventsInLog(of: string, lines: readonly Buffer[], before: readonly string[]): NewEvent[] {
  return lines.flatMap((line, index) => {
    if (!isOfService(line)) return []
    const [, time = '', text = ''] = /^(\S+Z) \[serve\] (.*)$/.exec(shownBytes(line)) ?? []
    const at = Date.parse(time)
    if (Number.isNaN(at)) return []
    const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? 'problem'
    const earlier = () => [...before, ...lines.slice(Math.max(0, index - LOOKED_BACK), index).map(shownBytes)]
    return [{ at, kind, of, text, lastWords: kind === 'death' ? lastWordsOf(text, earlier()) : [] }]
  })
}

/** The time has 24 characters. */
function isOfService(line: Buffer): boolean {
  return line.toString('latin1', 24, 33) === ' [serve] '
}

function lastWordsOf(text: string, earlier: readonly string[]): string[] {
  const [, instance] = /^instance (\d+) /.exec(text) ?? []
  const head = new RegExp(`^\\S+Z \\[${instance}( err)?\\] `)
  const own = earlier.filter((line) => head.test(line)).map((line) => line.replace(head, ''))
  return own.filter((line) => line.trim() !== '').slice(-LAST_WORDS)
}
