// Walks all that a function can reach: the variables around it, what they hold, the functions among that with the variables around
// them, of packages too, and parts of the language that somebody has changed.
//
//   function ── text ──> words ──> variables around it that it names ──> objects ──> functions ──> ...
//
// Nothing is called on the way, no getter either. Breadth first, so that a part has its shortest name.

import { types } from 'node:util'
import type { Closures } from './closures.js'
import { cpuMs } from './cpu-ms.js'
import { describeState, nodeName, RUNNING } from './describe-value.js'
import { createInsideOf, type InsideOf } from './inside-of.js'
import type { Language } from './language.js'
import { createReader, type NamesInText } from './names-in-text.js'
import { keyOf, partsOf } from './parts-of.js'
import { primitiveRef } from './primitive-ref.js'
import {
  constructorOf,
  isNative,
  isObject,
  ownOrInherited,
  ownValue,
  prototypeOf,
  textOf,
} from './properties.js'
import { VARIABLE, type ReachedError, type Ref, type StateGraph, type StateNode } from './state-graph.js'

const MAX_NODES = 20_000
/** Of CPU. */
const MAX_MS = 4000
/** Nodes between two looks at the time. */
const LOOKS = 64
/** An object with so many functions is a library: of it only what some text names counts. */
const LIBRARY_FUNCTIONS = 60

/** Of one time: walks that share them see the same. */
export interface StateTools {
  readonly closures: Closures
  readonly language: Language
}

/** What a function uses of the variables around it. */
export interface FunctionState {
  readonly text: string
  readonly variables: Record<string, unknown>
}

export interface Walked {
  readonly graph: StateGraph
  /** Whether the walk came by an object. */
  reached(value: object): boolean
}

interface Mutable extends StateNode {
  readonly value: object
}

interface Walk {
  readonly language: Language
  readonly insideOf: InsideOf
  readonly nodes: Mutable[]
  readonly ids: Map<object, number>
  readonly errors: ReachedError[]
  /** Of all texts that were reached, and of those that are in a file: others may be made of data. */
  readonly words: Set<string>
  readonly codeWords: Set<string>
  readonly libraries: Mutable[]
  /** Weak maps and sets. */
  readonly weak: Mutable[]
  readonly until: number
  isWhole: boolean
  /** The first node that is not expanded. */
  next: number
}

const insides = new WeakMap<StateTools, InsideOf>()
const readText = createReader()

export function walkState(tools: StateTools, { text, variables }: FunctionState): Walked {
  const walk = createWalk(tools)
  const roots: Record<string, Ref> = {}
  const names = read(walk, text)
  for (const [name, value] of Object.entries(variables))
    for (const path of names.usesOf(name)) follow(walk, { parts: roots, owner: null }, { name, value, path })
  drain(walk)
  const changed: Record<string, Ref> = {}
  do for (const { name, value } of reachedChanges(walk)) changed[name] ??= refOf(walk, value, null)
  while (drain(walk))
  const { ids, errors, isWhole } = walk
  const nodes = walk.nodes.map(({ kind, owner, parts }) => ({ kind, owner, parts }))
  const graph = { nodes, roots, language: changed, isWhole, errors, names: namedKeys(walk) }
  return { graph, reached: (value) => ids.has(value) }
}

function namedKeys({ nodes, codeWords }: Walk): string[] {
  const keys = new Set(nodes.flatMap(({ parts }) => Object.keys(parts).map(keyOf)))
  return [...keys].filter((key) => key !== null && codeWords.has(key)) as string[]
}

function createWalk(tools: StateTools): Walk {
  const insideOf = insides.get(tools) ?? createInsideOf(tools.closures)
  insides.set(tools, insideOf)
  return {
    language: tools.language,
    insideOf,
    nodes: [],
    ids: new Map(),
    errors: [],
    words: new Set(),
    codeWords: new Set(),
    libraries: [],
    weak: [],
    until: cpuMs() + MAX_MS,
    isWhole: true,
    next: 0,
  }
}

function read({ words, codeWords }: Walk, text: string, isInFile = true): NamesInText {
  const names = readText(text)
  for (const word of names.words) {
    words.add(word)
    if (isInFile) codeWords.add(word)
  }
  return names
}

/** Names of the language under which it calls what somebody has put there, without a word in the text that is running. */
const IMPLICIT =
  /^(toString|valueOf|then|constructor|next|return|add|set|join|captureStackTrace|prepareStackTrace|stackTraceLimit|Symbol\(.*\))$/
/** Those under which it calls what somebody has put there for certain words alone. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  toJSON: ['JSON'],
  toISOString: ['JSON', 'toJSON'],
  ...Object.fromEntries(
    ['exec', 'flags'].map((key) => [
      key,
      ['test', 'match', 'matchAll', 'replace', 'replaceAll', 'search', 'split'],
    ]),
  ),
}
/** Whatever stands there is a part of every object, or list, also where nobody names it. */
const OF_ALL = /^(Object|Array)\.prototype\./

function reachedChanges({ language, words }: Walk) {
  const isNamed = (key: string) =>
    words.has(key) ||
    IMPLICIT.test(key) ||
    (Object.hasOwn(IMPLIED, key) && IMPLIED[key]!.some((word) => words.has(word)))
  const added = language.added().filter((name) => words.has(name))
  return [
    ...language
      .changes()
      .filter(
        ({ key, name }) => isNamed(key) || (words.has('in') && OF_ALL.test(name) && isCounted(name, key)),
      ),
    ...added.map((name) => ({ name: `globalThis.${name}`, value: Reflect.get(globalThis, name) as unknown })),
  ]
}

/** A loop with `in` comes by it. */
function isCounted(name: string, key: string): boolean {
  const prototype = name.startsWith('Object') ? Object.prototype : Array.prototype
  return Object.prototype.propertyIsEnumerable.call(prototype, key)
}

function refOf(walk: Walk, value: unknown, owner: string | null): Ref {
  if (!isObject(value)) return primitiveRef(value)
  const { ids, nodes, insideOf, language } = walk
  const known = ids.get(value)
  if (known !== undefined) return `#${known}`
  const name = language.nameOf(value) ?? nodeName(value, insideOf)
  if (name !== undefined) return `=${name}`
  if (nodes.length >= MAX_NODES || (nodes.length % LOOKS === 0 && cpuMs() > walk.until)) {
    walk.isWhole = false
    return '=...'
  }
  const { kind, owner: own } = describeState(value, insideOf)
  if (kind === RUNNING && (own ?? owner) === null) walk.isWhole = false
  ids.set(value, nodes.length)
  nodes.push({ value, kind, owner: own ?? owner, parts: {} })
  return `#${nodes.length - 1}`
}

interface Use {
  readonly name: string
  readonly value: unknown
  readonly path: readonly string[]
}

/** A part by its path, without the objects on the way where they are plain. Of a method what it belongs to counts, too. */
function follow(walk: Walk, node: Pick<StateNode, 'parts' | 'owner'>, { name, value, path }: Use): void {
  const [key, ...rest] = path
  const { parts, owner } = node
  const isTable = isObject(value) && !types.isProxy(value) && typeof value !== 'function'
  const descriptor = key !== undefined && isTable ? ownOrInherited(value, key) : undefined
  if (key === undefined || !descriptor || descriptor.get)
    return void (parts[name] = refOf(walk, value, owner))
  const part = descriptor.value as unknown
  const usesOwner = typeof part === 'function' && (isNative(part) || /\bthis\b|\bsuper\b/.test(textOf(part)))
  if (usesOwner) parts[name] = refOf(walk, value, owner)
  follow(walk, node, { name: `${name}.${key}`, value: part, path: rest })
}

/** False: there was nothing left. */
function drain(walk: Walk): boolean {
  const from = walk.next
  const { nodes } = walk
  for (let before = -1; before !== nodes.length;) {
    before = nodes.length
    while (walk.next < nodes.length) expandAll(walk, nodes.slice(walk.next, (walk.next = nodes.length)))
    expandLibraries(walk)
    expandWeak(walk)
  }
  return walk.next > from
}

/** All that are as far away. */
function expandAll(walk: Walk, list: readonly Mutable[]): void {
  const { insideOf, language } = walk
  const values = list.flatMap(({ value }) => [...partsOf(value, insideOf)].map(([, part]) => part))
  const around = list.flatMap(({ value }) => (typeof value === 'function' ? usedAround(walk, value) : []))
  const above = list.map(({ value }) => (types.isProxy(value) ? null : prototypeOf(value)))
  const all = [...values, ...around.map(({ value }) => value), ...above]
  const classes = all.flatMap((each) =>
    isObject(each) && typeof each !== 'function' ? [ownValue(each, 'constructor'), constructorOf(each)] : [],
  )
  insideOf.prepare(
    [...all, ...classes].filter((each) => isObject(each) && language.nameOf(each) === undefined),
  )
  for (const node of list) expand(walk, node)
}

function expand(walk: Walk, node: Mutable): void {
  const { value, owner, parts } = node
  const isLibrary = typeof value !== 'function' && countFunctions(value) > LIBRARY_FUNCTIONS
  if (typeof value === 'function') expandFunction(walk, node)
  if (types.isWeakMap(value) || types.isWeakSet(value)) walk.weak.push(node)
  if (isLibrary) walk.libraries.push(node)
  else for (const [name, part] of partsOf(value, walk.insideOf)) addPart(walk, node, { name, part })
  if (!types.isProxy(value)) parts['.__proto__'] = refOf(walk, prototypeOf(value), owner)
}

/** Methods come by the class of their object, and by what that keeps, only where one names it. */
function addPart(walk: Walk, node: Mutable, { name, part }: { name: string; part: unknown }): void {
  const isClass = name === '.constructor' && typeof part === 'function'
  if (isClass && !walk.words.has('constructor')) walk.libraries.push(node)
  else node.parts[name] = refOf(walk, part, node.owner)
}

function expandFunction(walk: Walk, node: Mutable): void {
  const { value, owner, parts } = node
  if (isErrorClass(value)) walk.errors.push({ name: value.name, owner })
  for (const [name, part] of Object.entries(walk.insideOf(value).hidden))
    parts[`.${name}`] = refOf(walk, part, owner)
  // What a class calls itself is a variable around it in one place, and none in another.
  for (const use of usedAround(walk, value))
    if (use.value !== value || use.path.length > 0) follow(walk, node, { ...use, name: VARIABLE + use.name })
}

/** Of the variables around a function those that its text names, once for each way of using them. */
function usedAround(walk: Walk, value: object): Use[] {
  const names = read(walk, textOf(value), walk.insideOf(value).url !== '')
  const found = new Map<string, unknown>()
  for (const scope of walk.insideOf(value).scopes)
    for (const name of Object.keys(scope))
      if (!found.has(name) && /^[\p{ID_Start}$_]/u.test(name)) found.set(name, scope[name])
  return [...found].flatMap(([name, part]) => names.usesOf(name).map((path) => ({ name, value: part, path })))
}

/** Parts of libraries that have been named meanwhile. */
function expandLibraries(walk: Walk): void {
  for (const { value, owner, parts } of walk.libraries)
    for (const [name, part] of partsOf(value, walk.insideOf))
      if (!(name in parts) && walk.words.has(name.slice(1))) parts[name] = refOf(walk, part, owner)
}

/** Of weak maps and sets what is under keys that can be reached otherwise: only that can be asked for. */
function expandWeak(walk: Walk): void {
  const { weak, insideOf, ids } = walk
  for (const { value, owner, parts } of weak) {
    const entries = Object.values((insideOf(value).hidden['[[Entries]]'] ?? {}) as Record<string, WeakEntry>)
    const reached = entries.flatMap(({ key, value: part }) =>
      ids.has(key) ? [{ id: ids.get(key)!, part }] : [],
    )
    for (const [at, { part }] of reached.toSorted((a, b) => a.id - b.id).entries())
      parts[`.get(${at})`] = refOf(walk, part, owner)
  }
}

interface WeakEntry {
  readonly key: object
  readonly value?: unknown
}

function isErrorClass(value: object): value is { name: string } {
  const prototype = typeof value === 'function' ? ownValue(value, 'prototype') : null
  return isObject(prototype) && inherits(prototype, Error.prototype)
}

function inherits(value: object, from: object): boolean {
  const above = prototypeOf(value)
  return above === from || (above !== null && inherits(above, from))
}

function countFunctions(value: object): number {
  if (types.isProxy(value) || ArrayBuffer.isView(value) || types.isModuleNamespaceObject(value)) return 0
  return Reflect.ownKeys(value).filter((key) => typeof ownValue(value, key) === 'function').length
}
