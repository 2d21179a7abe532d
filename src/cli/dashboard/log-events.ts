// The events of a service in the background, from the lines that it writes into its own log: they have their time, and those that came before
// anybody looked are there too.

import type { EventKind } from './view.js'
import type { NewEvent } from './event-list.js'

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

/** Lines as `shown()` gives them; `before`: those that came earlier, in which the last words of an instance may be. */
export function eventsInLog(of: string, lines: readonly string[], before: readonly string[]): NewEvent[] {
  const all = [...before, ...lines]
  return lines.flatMap((line, index) => {
    const [, time = '', text = ''] = /^(\S+Z) \[serve\] (.*)$/.exec(line) ?? []
    const at = Date.parse(time)
    if (Number.isNaN(at)) return []
    const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? 'problem'
    const lastWords = kind === 'death' ? lastWordsOf(text, all.slice(0, before.length + index)) : []
    return [{ at, kind, of, text, lastWords }]
  })
}

function lastWordsOf(text: string, earlier: readonly string[]): string[] {
  const [, instance] = /^instance (\d+) /.exec(text) ?? []
  const head = new RegExp(`^\\S+Z \\[${instance}( err)?\\] `)
  const own = earlier.filter((line) => head.test(line)).map((line) => line.replace(head, ''))
  return own.filter((line) => line.trim() !== '').slice(-LAST_WORDS)
}
