// Changed options of a service that runs: what differs, and which of it a reload can bring without a gap.

import { isDeepStrictEqual } from 'node:util'
import type { ResolvedServe } from '../contract/resolve-options.js'

export interface OptionChange {
  readonly option: string
  /** For people. Of variables only the names: their values may be secret. */
  readonly text: string
  /** Whether a reload is enough; else the service has to be stopped and started. */
  readonly isApplied: boolean
}

/** What a service is, or what holds its instances together: it cannot change while they run. */
const FIXED: readonly (keyof ResolvedServe)[] = ['name', 'stickyBy', 'reusePort', 'scaling', 'isJob']
/** Functions, and what is shown by others. */
const HIDDEN: readonly (keyof ResolvedServe)[] = ['onEvent', 'collect', 'program', 'hasGroups']

export function changesBetween(before: ResolvedServe, after: ResolvedServe): OptionChange[] {
  const options = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof ResolvedServe)[]
  const changed = options.filter(
    (option) => !HIDDEN.includes(option) && !isDeepStrictEqual(before[option], after[option]),
  )
  const kind = ({ program }: ResolvedServe) => (program === null ? 'a server' : 'a program')
  const ofKind =
    kind(before) === kind(after)
      ? []
      : [{ option: 'kind', text: `${kind(before)} -> ${kind(after)}`, isApplied: false }]
  return [
    ...ofKind,
    ...changed.map((option) => ({
      option: option.replace(/Ms$/, ''),
      text:
        option === 'env'
          ? describeVariables(before.env, after.env)
          : `${show(before[option])} -> ${show(after[option])}`,
      isApplied: !FIXED.includes(option),
    })),
  ]
}

/** The new settings, with the listeners of the old ones. */
export function applied(before: ResolvedServe, after: ResolvedServe): ResolvedServe {
  const { onEvent, collect } = before
  return { ...after, onEvent, ...(collect && { collect }) }
}

function describeVariables(before: ResolvedServe['env'], after: ResolvedServe['env']): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const isSame = (name: string) => before[name] === after[name] && name in before === name in after
  return names
    .filter((name) => !isSame(name))
    .map((name) => `${name} ${how(before, after, name)}`)
    .join(', ')
}

/** One that is there and undefined is not inherited. */
function how(before: ResolvedServe['env'], after: ResolvedServe['env'], name: string): string {
  if (!(name in after)) return before[name] === undefined ? 'inherited again' : 'removed'
  if (after[name] === undefined) return 'not inherited any more'
  return before[name] === undefined ? 'added' : 'changed'
}

function show(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
