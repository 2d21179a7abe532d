// Where two states of the same function differ, by the names under which it reaches the difference.

import { keyOf } from './parts-of.js'
import { MODULE, VARIABLE, type Ref, type StateGraph, type StateNode } from './state-graph.js'

const MAX_DIFFERENCES = 12

export interface Difference {
  /** Such as "config.vat.AT" and "marked.defaults.hooks". */
  readonly path: string
  /** The package in whose part it is; null: it is of the app. */
  readonly owner: string | null
  /** The variable with which its path begins. */
  readonly variable: string
  /** The path in parts, and as it may be shown: keys that no code names may be data. */
  readonly parts: readonly PathPart[]
  readonly shown: string
}

/** A text of code, or a key of an object or of a map. */
export type PathPart = string | { readonly key: string; readonly isNamed: boolean }

interface Pair {
  readonly path: string
  readonly parts: readonly PathPart[]
  readonly variable: string
  readonly owner: string | null
  readonly one: Ref | undefined
  readonly other: Ref | undefined
}

/**
 * The nearest ones first. A module of doctor holds no more than its function needs, so of variables, and of what `import *` gives, those
 * that `other` has count.
 */
export function compareStates(one: StateGraph, other: StateGraph): Difference[] {
  const found: Difference[] = []
  const seen = new Set<string>()
  const names = new Set([...one.names, ...other.names])
  const waiting = rootPairs(one, other)
  for (let at = 0; at < waiting.length && found.length < MAX_DIFFERENCES; at++) {
    const pair = waiting[at]!
    const key = `${pair.one} ${pair.other}`
    if (pair.one === pair.other ? !pair.one?.startsWith('#') : false) continue
    if (seen.has(key)) continue
    seen.add(key)
    const nodes = [nodeOf(one, pair.one), nodeOf(other, pair.other)] as const
    const isSame = nodes[0] && nodes[1] && isSameKind(nodes[0], nodes[1])
    if (isSame) waiting.push(...partPairs(pair, [nodes[0], nodes[1]], names))
    else if (!isUnknown(pair)) found.push(differenceAt(pair))
  }
  return found
}

function differenceAt({ path, owner, variable, parts }: Pair): Difference {
  return { path, owner, variable, parts, shown: statePath(parts, () => false) }
}

/** @param isName whether the user's code names a key */
export function statePath(parts: readonly PathPart[], isName: (key: string) => boolean): string {
  const text = (each: PathPart) =>
    typeof each === 'string'
      ? each
      : !each.isNamed && !isName(each.key)
        ? '[...]'
        : /^#?[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(each.key)
          ? `.${each.key}`
          : `[${JSON.stringify(each.key)}]`
  return parts.map(text).join('')
}

/** Behind the end of what was looked at. */
function isUnknown({ one, other }: Pair): boolean {
  return one === '=...' || other === '=...'
}

function rootPairs(one: StateGraph, other: StateGraph): Pair[] {
  const changes = new Set([...Object.keys(one.language), ...Object.keys(other.language)])
  const pair = (path: string, a: StateGraph['roots'], b: StateGraph['roots']): Pair => ({
    path,
    parts: [path],
    variable: rootOf(path),
    owner: null,
    one: a[path],
    other: b[path],
  })
  const variables = new Set(Object.keys(one.roots).map(rootOf))
  // The function itself is a variable of the module alone.
  const paths = Object.keys(other.roots).filter((path) => variables.has(rootOf(path)))
  return [
    ...paths.map((path) => pair(path, one.roots, other.roots)),
    ...[...changes].map((path) => pair(path, one.language, other.language)),
  ]
}

function rootOf(path: string): string {
  return /^[^.[]*/.exec(path)![0]
}

function nodeOf({ nodes }: StateGraph, ref: Ref | undefined): StateNode | null {
  return ref?.startsWith('#') ? nodes[Number(ref.slice(1))]! : null
}

function partOf(name: string, named: ReadonlySet<string>): PathPart {
  if (/^\.(__proto__|key\(\d+\))/.test(name)) return ''
  if (name.startsWith('.get(')) return '.get(...)'
  const key = keyOf(name)
  return key === null ? name : { key, isNamed: named.has(key) }
}

function isSameKind(one: StateNode, other: StateNode): boolean {
  return one.kind === other.kind || other.kind === MODULE
}

function partPairs(
  pair: Pair,
  [one, other]: readonly [StateNode, StateNode],
  named: ReadonlySet<string>,
): Pair[] {
  const names = Object.keys(other.parts)
  const more =
    other.kind === MODULE
      ? []
      : Object.keys(one.parts).filter((name) => !(name in other.parts) && !name.startsWith(VARIABLE))
  const all = other.kind === MODULE ? names.filter((name) => name !== '.__proto__') : [...names, ...more]
  return all.map((name) => {
    const variable = name.startsWith(VARIABLE) ? name.slice(VARIABLE.length) : null
    const path = variable ?? pair.path + name
    const parts = variable === null ? [...pair.parts, partOf(name, named)] : [variable]
    return {
      path,
      parts,
      variable: rootOf(path),
      owner: other.owner ?? one.owner,
      one: one.parts[name],
      other: other.parts[name],
    }
  })
}
