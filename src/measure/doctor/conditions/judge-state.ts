// What a function can reach, in the app and in a fresh process, before and after calls: whether it is the same there.
//
//   different in the app and alone      somebody has set it up, or changed it: named, and where
//   different after further calls       the function keeps something from call to call; of a package, and by no more than which call was
//                                       the last one: what it left is in nobody's way
//   different after its first calls     of the app: it keeps something; of a package: it makes something when it is first used, or it
//                                       puts something there under a key of its own

import type { DoctorCondition } from '../../results/doctor-result.js'
import type { WatchedState } from '../agent/messages.js'
import type { ReplayState } from '../proof/replay/replay-messages.js'
import { compareStates, statePath, type Difference } from '../state/compare-states.js'
import type { SourcePlace } from '../source/places.js'

const MAX_NAMED = 3

export interface StateJudgement {
  readonly cannot: string | null
  readonly cannotTell: string | null
  /** Set up or changed by others. */
  readonly differences: readonly Difference[]
  readonly conditions: DoctorCondition[]
}

export interface BothStates {
  readonly app: WatchedState | null
  readonly alone: ReplayState | null
  /** Variables that a package makes when their file is loaded: what it keeps in them is the package's. */
  readonly made: ReadonlyMap<string, string>
  readonly place: SourcePlace
  /** It uses nothing but its arguments and the language. */
  readonly usesNothing: boolean
  /** Texts in its source: under such a key it may put something into a package. */
  readonly literals: ReadonlySet<string>
  /** Whether the user's code names a key: all others may be data, and are not shown. */
  readonly isName: (key: string) => boolean
}

/**
 * Numbers that packages keep for their speed, or for names in stacks: no result depends on them. Of lodash: _shortOut.js, which notices
 * functions that are called very often, and the number in `lodash.templateSources[7]`. Whole paths: a variable of the app may have the name.
 */
const HARMLESS: readonly { readonly owner: RegExp; readonly path: RegExp }[] = [
  { owner: /^lodash\b/, path: /^(count|lastCalled|templateCounter)$/ },
]

const SAME: StateJudgement = { cannot: null, cannotTell: null, differences: [], conditions: [] }

export function judgeState({
  app,
  alone,
  made,
  place,
  usesNothing,
  literals,
  isName,
}: BothStates): StateJudgement {
  const isLanguageAsEver = app !== null && Object.keys(app.graph.language).length === 0
  if (app === null || alone === null)
    return usesNothing && isLanguageAsEver
      ? SAME
      : { ...SAME, cannotTell: 'what it can reach could not be looked at' }
  if (!app.graph.isWhole || !alone.graph.isWhole)
    return { ...SAME, cannotTell: 'it can reach more than could be looked at' }
  const owned = (list: readonly Difference[]) =>
    list
      .filter((each) => !isHarmless(each)) // what the app has made by a package is not the package's own
      .map((each) => ({
        ...each,
        owner: each.owner ?? made.get(each.variable) ?? null,
        shown: statePath(each.parts, isName),
      }))
  const [first, further, running] = [owned(alone.first), owned(alone.further), owned(app.changes)]
  const isOwn = ({ owner }: Difference) => owner === null
  const isSlot = ({ path }: Difference) => partsOf(path).some((part) => literals.has(part))
  const kept = [
    ...owned(alone.adding),
    ...[...further, ...first].filter((each) => isOwn(each) || isSlot(each)),
  ]
  if (kept.length > 0) return { ...SAME, cannot: `it keeps something from call to call: ${named(kept)}` }
  const changing = running.filter(isOwn)
  if (changing.length > 0)
    return { ...SAME, cannot: `it depends on what changes while the app runs: ${named(changing)}` }
  const moving = [...further, ...running]
  const differences = owned(compareStates(app.graph, alone.graph)).filter(
    (each) => isOwn(each) || !moving.some(({ path }) => isBelow(each.path, path)),
  )
  const state = (text: string): DoctorCondition => ({ kind: 'state', text, ...place })
  const fresh = first.filter(({ path }) => !moving.some((each) => each.path === path))
  return {
    cannot: null,
    cannotTell: null,
    differences,
    conditions: [
      ...(fresh.length > 0
        ? [state(`nobody else needs what it makes when it is first called: ${named(fresh)}`)]
        : []),
      ...(moving.length > 0 ? [state(`nobody else needs what its calls leave there: ${named(moving)}`)] : []),
    ],
  }
}

function isHarmless({ owner, path }: Difference): boolean {
  return HARMLESS.some((each) => each.owner.test(owner ?? '') && each.path.test(path))
}

function isBelow(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`)
}

/** Names and keys. */
function partsOf(path: string): string[] {
  return path.match(/"[^"]*"|[\p{ID_Continue}$]+/gu)?.map((part) => part.replaceAll('"', '')) ?? []
}

export function named(differences: readonly Difference[]): string {
  const names = [...new Set(differences.map(nameOf))]
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`
}

function nameOf({ shown, owner }: Difference): string {
  return `\`${shown}\`${owner === null ? '' : ` of the package ${owner}`}`
}
