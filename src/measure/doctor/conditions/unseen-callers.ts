// Who calls a function in the source, where no call was seen: rare pages, other ways into a page that was seen.
//
// A call counts as far as the source shows what it is of. Who gets the function as a value, and calls it some time, is not followed.

import type { Node } from 'acorn'
import type { DoctorCondition } from '../../results/doctor-result.js'
import { memberName, part, parts, word } from '../source/ast.js'
import { functionsOf } from '../effects/definitions.js'
import type { UserFiles } from '../source/find-script.js'
import { topVariables } from '../source/free-names.js'
import { heldName } from '../source/function-name.js'
import { isAccessor } from '../effects/judge-source.js'
import { parentOf } from '../source/parents.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import { usedAround } from './interleaving.js'
import { betweenCondition, isAwaited } from './judge-callers.js'
import { listenedEvent, placeWithoutAwait } from './no-await.js'
import { placeText, type Places } from '../source/places.js'

/** They take what their callback gives as it is. */
const AT_ONCE =
  /^(filter|sort|toSorted|some|every|find|findIndex|findLast|findLastIndex|reduce|reduceRight|replace|replaceAll)$/
/** Methods that the language calls, and takes what they give. */
const OF_LANGUAGE = /^(toJSON|toString|valueOf|next)$/
const MAX_DEPTH = 4

export interface Called {
  readonly name: string
  readonly script: ParsedScript
  readonly node: FunctionNode
}

export interface UnseenCallers {
  /** Who cannot wait; null: everybody can. */
  readonly cannot: string | null
  readonly conditions: DoctorCondition[]
}

interface Search {
  readonly files: UserFiles
  readonly places: Places
  readonly conditions: Map<string, DoctorCondition>
  readonly seen: Set<Node>
  readonly depth: number
}

export function unseenCallers(called: Called, files: UserFiles, places: Places): UnseenCallers {
  const search: Search = { files, places, conditions: new Map(), seen: new Set(), depth: 0 }
  return { cannot: whoCannot(called, search), conditions: [...search.conditions.values()] }
}

function whoCannot(called: Called, search: Search): string | null {
  if (search.depth > MAX_DEPTH || search.seen.has(called.node)) return null
  search.seen.add(called.node)
  for (const script of search.files.find.all?.() ?? [])
    for (const use of usesIn(script, called, search.files)) {
      const found = whyNot(script, use, { called, search })
      if (found !== null) return `${called.name} is called by ${found}, which takes no promise`
    }
  return null
}

/** Where its name, or a member that is it, stands. */
function usesIn(script: ParsedScript, called: Called, { find }: UserFiles): Node[] {
  const { node } = called
  const isIts = (each: Node) => functionsOf(script, each, find).some((found) => found.node === node)
  const isOwn = (use: Node) => use.start >= node.start && use.end <= node.end
  const names = topVariables(script).flatMap(({ references }) => {
    const uses = references.flatMap(({ identifier, init }) => (init ? [] : [identifier as unknown as Node]))
    return uses.length > 0 && isIts(uses[0]!) ? uses : []
  })
  const own = namesOf(called)
  const members = membersIn(script).filter((each) => own.has(memberName(each) ?? ''))
  return [...names, ...members.filter(isIts)].filter((use) => !isOwn(use))
}

/** Under which a function can be a member: its own, and that of what holds it. */
function namesOf({ script, node }: Called): Set<string> {
  const parent = parentOf(script, node)
  const holder = part(parent, 'id') ?? part(parent, 'key') ?? part(parent, 'left')
  const found = [node.id?.name, word(holder, 'name'), memberName(holder)]
  return new Set(found.filter((each): each is string => typeof each === 'string'))
}

const members = new WeakMap<ParsedScript, Node[]>()

function membersIn(script: ParsedScript): Node[] {
  const known = members.get(script)
  if (known) return known
  const found: Node[] = []
  const visit = (node: Node) => {
    if (node.type === 'MemberExpression') found.push(node)
    childNodes(node).forEach(visit)
  }
  visit(script.program)
  members.set(script, found)
  return found
}

/** Null: whoever calls it there can wait, or that cannot be told. */
function whyNot(
  script: ParsedScript,
  use: Node,
  { called, search }: { called: Called; search: Search },
): string | null {
  const parent = parentOf(script, use)
  const given = parts(parent, 'arguments').includes(use) ? parent : null
  if (given) return atOnce(script, given, use)
  if (part(parent, 'callee') !== use) return null
  return callerWhyNot(script, parent!, { called, search })
}

/** A function is given to a method that takes what it gives. */
function atOnce(script: ParsedScript, call: Node, given: Node): string | null {
  const callee = part(call, 'callee')
  const name = memberName(callee) ?? ''
  const isJson = word(part(callee, 'object'), 'name') === 'JSON' && parts(call, 'arguments')[1] === given
  const event = listenedEvent(call)
  if (event !== null) return `a listener of "${event}" (line ${lineOf(script, call)})`
  if (!AT_ONCE.test(name) && !isJson) return null
  return isJson ? `JSON.${name} (line ${lineOf(script, call)})` : `${name} (line ${lineOf(script, call)})`
}

function lineOf(script: ParsedScript, { start }: Node): number {
  return script.placeOf(start).line + 1
}

function callerWhyNot(
  script: ParsedScript,
  call: Node,
  { called, search }: { called: Called; search: Search },
): string | null {
  const withoutAwait = placeWithoutAwait(script, call)
  if (withoutAwait !== null) return `${withoutAwait} (line ${lineOf(script, call)})`
  const caller = functionAround(script, call)
  if (caller === null || isAwaited(script, call, caller)) return null
  const found = script.functions.find(({ node }) => node === caller)!
  const parent = parentOf(script, caller)
  const name =
    caller.id?.name ?? word(part(parent, 'id') ?? part(parent, 'key'), 'name') ?? heldName(found.path)
  const { line } = search.places.of(script, call)
  if (isAccessor(found.path))
    return `${word(parent, 'kind') === 'constructor' ? 'a constructor' : `the getter or setter ${name}`} (line ${line})`
  if (caller.generator && !caller.async) return `the generator ${name} (line ${line})`
  const isMember = /^(Property|MethodDefinition|PropertyDefinition)$/.test(parent?.type ?? '')
  if (isMember && OF_LANGUAGE.test(name ?? '')) return `${name}, which the language calls (line ${line})`
  const asArgument = parts(parent, 'arguments').includes(caller) ? atOnce(script, parent!, caller) : null
  if (asArgument !== null) return asArgument
  addCondition(script, call, { called, search, name, caller })
  if (caller.async) return null
  return whoCannot(
    { name: name ?? 'its caller', script, node: caller },
    { ...search, depth: search.depth + 1 },
  )
}

function functionAround(script: ParsedScript, node: Node): FunctionNode | null {
  let around = parentOf(script, node)
  while (around && !isFunction(around)) around = parentOf(script, around)
  return around === script.wrapper ? null : around
}

interface Found {
  readonly called: Called
  readonly search: Search
  readonly name: string | null
  readonly caller: FunctionNode
}

function addCondition(script: ParsedScript, call: Node, { called, search, name, caller }: Found): void {
  const callee = part(call, 'callee')
  const at = search.places.of(script, part(callee, 'property') ?? callee ?? call)
  const key = `${placeText(at)} ${called.name}`
  const text = `${name ?? 'its caller'} awaits ${called.name}${caller.async ? '' : ', and is async'}`
  for (const each of usedAround(script, caller, call))
    search.conditions.set(`${key} ${each.name}`, betweenCondition(each, name ?? 'its caller', at))
  if (!search.conditions.has(key)) search.conditions.set(key, { kind: 'await-callers', text, ...at })
}
