// The conditions of a function by its source and by real calls, before it is made again alone.

import type { DoctorCondition } from '../../results/doctor-result.js'
import type { Watched } from '../agent/messages.js'
import type { Lost } from '../agent/plain-data.js'
import type { SourceJudgement, SourceNote } from '../effects/judge-source.js'
import type { FunctionNode } from '../source/script-functions.js'
import { identityText, isIdentityOpen } from './identity-of-source.js'
import { takenApart } from '../source/taken-apart.js'
import { writtenArguments } from './judge-callers.js'
import type { SourcePlace, Places } from '../source/places.js'

export interface Subject {
  readonly node: FunctionNode
  readonly source: SourceJudgement
  readonly seen: Watched
  readonly places: Places
  readonly place: SourcePlace
  /** Whether the user's code names a field so: then it is no data. */
  readonly isName: (word: string) => boolean
}

/** What a copy does to those who hold the same objects. */
export function identityConditions({
  node,
  seen,
  source,
  places,
  place,
  isName,
}: Subject): DoctorCondition[] {
  const lost = ({ what, key }: Lost) => (key !== null && isName(key) ? `${what} (${key})` : what)
  const identity = (text: string): DoctorCondition => ({ kind: 'identity', text, ...place })
  return [
    ...seen.shares.map((whose) =>
      identity(`nobody counts on the very object that it returns: ${whose}, and moved it is a copy`),
    ),
    ...source.notes
      .filter(({ kind }) => kind === 'writes')
      .map(({ script, node: at, name }): DoctorCondition => ({
        kind: 'identity',
        text: `nobody needs what it changes of ${name} here: moved it changes a copy`,
        ...places.of(script, at),
      })),
    ...source.identities
      .filter((note) => isIdentityOpen(note, seen))
      .map((note): DoctorCondition => ({
        kind: 'identity',
        text: identityText(note),
        ...places.of(note.script, note.node),
      })),
    ...seen.losesGiven.map((each) =>
      identity(
        `it needs no more than the data of its arguments: they hold ${lost(each)}, which a copy does not have`,
      ),
    ),
    ...seen.losesResult.map((each) =>
      identity(
        `its callers need no more than the data of its result: it holds ${lost(each)}, which a copy does not have`,
      ),
    ),
    ...unseenParts(node, { seen, places }).map((index) =>
      identity(
        `argument ${index + 1} is plain data, or is given as the fields that it takes: doctor saw those alone`,
      ),
    ),
  ]
}

/** Parameters that are taken apart, unless each caller writes them out as an object. */
function unseenParts(node: FunctionNode, { seen, places }: Pick<Subject, 'seen' | 'places'>): number[] {
  return takenApart(node).filter((index) =>
    seen.callers.some(([caller]) => {
      const written = writtenArguments(caller, places)
      return (
        written === null ||
        (index < written.length && !/^(Object|Array)Expression$|^Literal$/.test(written[index]!.type))
      )
    }),
  )
}

/** What it asks for, and what it prints: by its source, or by the packages that it calls. */
export function outsideConditions(
  { source, places, place }: Subject,
  asked: readonly string[],
  printed: boolean,
): DoctorCondition[] {
  const notes = (kind: SourceNote['kind']) => source.notes.filter((note) => note.kind === kind)
  const found: DoctorCondition[] = []
  const add = (kind: DoctorCondition['kind'], text: string, at: SourcePlace) =>
    found.push({ kind, text, ...at })
  for (const { script, node, name } of notes('read'))
    add('state', `nobody else changes ${name}: each worker reads it when it starts`, places.of(script, node))
  for (const { script, node, name } of notes('time'))
    add(
      'time',
      `it may be another moment: it asks for the time (${name}) when it runs in the worker`,
      places.of(script, node),
    )
  for (const { script, node, name } of notes('chance'))
    add('time', `it may be other values: it takes random ones (${name})`, places.of(script, node))
  if (asked.includes('time') && notes('time').length === 0)
    add('time', 'it may be another moment: a package that it calls asks for the time', place)
  if (
    (asked.includes('chance') || (asked.includes('signature') && !asked.includes('time'))) &&
    notes('chance').length === 0
  )
    add('time', 'it may be other values: a package that it calls takes random ones', place)
  for (const { script, node, name } of notes('print'))
    add('side-effect', `its lines may come from the worker: it prints (${name})`, places.of(script, node))
  for (const { script, node } of notes('assert').slice(0, 1))
    add(
      'error-class',
      'its callers know a failed assertion by its code, ERR_ASSERTION, and not by instanceof AssertionError',
      places.of(script, node),
    )
  if (printed && notes('print').length === 0)
    add('side-effect', 'its lines may come from the worker: a package that it calls prints', place)
  return found
}
