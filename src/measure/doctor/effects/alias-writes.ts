// Writes to what a function was given, or to what outlives its calls, by whatever name: of an element that `find` gives, of a row in a loop, of
// a part that a pattern takes, by a helper of another file, a method of an instance, or a closure that a factory has made. Real calls may not
// have come by such a line.
//
// All that the function calls of the user's is followed. The names and results of those functions have the origins of all that is ever put
// into them, in any order and by any caller, until nothing is new.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { memberName, part, parts, word } from '../source/ast.js'
import { givenToCallback, resultOfLanguage } from './calls-of-language.js'
import { changedBy } from './changing-calls.js'
import { CHANGING } from '../source/constants.js'
import {
  functionsOf,
  homeOf,
  isClass,
  definitionsOf,
  moduleOf,
  returnsOf,
  type Definition,
  type HomeVariable,
} from './definitions.js'
import { declaredBy, isOfFile, variableOf } from '../source/free-names.js'
import type { FindScript } from '../source/imports.js'
import { keptAs } from './kept.js'
import { add, moved, NONE, originName, union, type Origin, type Origins } from './origins.js'
import { parentOf } from '../source/parents.js'
import { findExport } from '../source/re-exports.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

const MAX_ROUNDS = 12
const MAX_REACHED = 300
/** Calls within calls whose results are looked at. */
const SHALLOW = 2
/** Arguments that come as a list: any of it may be any of so many. */
const MAX_BORROWED = 4

export interface AliasWrite {
  readonly script: ParsedScript
  readonly node: Node
  readonly origin: Origin
  /** "argument 1", or the name of the variable of the file. */
  readonly name: string
}

interface Shared {
  readonly findScript: FindScript
  readonly isSure: boolean
  readonly isShallow: boolean
  /** There is more than is followed. */
  isCut: boolean
  readonly names: Map<Variable, Map<Origin, number>>
  readonly results: Map<FunctionNode, Map<Origin, number>>
  /** What `this` is in a method. */
  readonly owners: Map<Node, Map<Origin, number>>
  /** What `arguments` holds in a function. */
  readonly lists: Map<Node, Map<Origin, number>>
  /** Factories whose closures outlive the call, with the variable that holds these. */
  readonly held: Map<Node, Origin>
  readonly reached: Map<FunctionNode, ParsedScript>
  readonly origins: Map<unknown, Origin>
  readonly writes: Map<Node, Map<Origin, AliasWrite>>
  /** What was found in this round. */
  readonly values: Map<Node, Origins>
  /** Functions whose results are being found: one that calls itself has what is known so far. */
  readonly open: Set<FunctionNode>
  hasGrown: boolean
}

interface Analysis {
  readonly script: ParsedScript
  readonly shared: Shared
}

export interface Aliases {
  readonly writes: readonly AliasWrite[]
  /** Functions of the user that it comes by, itself first. */
  readonly reached: ReadonlyMap<FunctionNode, ParsedScript>
  /** It calls more functions than are followed. */
  readonly isCut: boolean
  originsOf(script: ParsedScript, node: Node | null): Origins
  functionsOf(script: ParsedScript, node: Node): readonly Definition[]
}

interface How {
  readonly findScript: FindScript
  /** What a function of somebody else gives is not taken for what it was given. */
  readonly isSure?: boolean
  /** Functions are followed only where something of an origin goes: those that know a variable by its name are looked at by themselves. */
  readonly isShallow?: boolean
}

export function findAliases(
  script: ParsedScript,
  node: FunctionNode,
  { findScript, isSure = false, isShallow = false }: How,
): Aliases {
  const shared: Shared = {
    findScript,
    isSure,
    isShallow,
    isCut: false,
    names: new Map(),
    results: new Map(),
    owners: new Map(),
    held: new Map(),
    lists: new Map(),
    reached: new Map([[node, script]]),
    origins: new Map(),
    writes: new Map(),
    values: new Map(),
    open: new Set(),
    hasGrown: false,
  }
  const argument = (index: number): Origins =>
    new Map([[originOf(shared, index, () => ({ argument: index })), 0]])
  enter(
    { script, shared },
    { script, node, heldBy: null, isInstance: false },
    {
      owner: NONE,
      given: Array.from({ length: Math.max(MAX_BORROWED, node.params.length) }, (_, index) =>
        argument(index),
      ),
    },
  )
  for (let round = 0; round < MAX_ROUNDS; round++) {
    shared.hasGrown = false
    shared.values.clear()
    for (const [each, home] of shared.reached) visit({ script: home, shared }, each)
    if (!shared.hasGrown) break
  }
  return {
    writes: [...shared.writes.values()].flatMap((each) => [...each.values()]),
    reached: shared.reached,
    isCut: shared.isCut,
    originsOf: (home, each) => evaluate({ script: home, shared }, each),
    functionsOf: (home, each) => called({ script: home, shared }, each),
  }
}

function grow(shared: Shared, to: Map<Origin, number>, from: Origins): void {
  if (add(to, from)) shared.hasGrown = true
}

function entryOf<Key>(map: Map<Key, Map<Origin, number>>, key: Key): Map<Origin, number> {
  const known = map.get(key) ?? new Map<Origin, number>()
  map.set(key, known)
  return known
}

/** The same object for the same thing. */
function originOf(shared: Shared, key: unknown, make: () => Origin): Origin {
  const known = shared.origins.get(key) ?? make()
  shared.origins.set(key, known)
  return known
}

/** Statements and expressions, from the outermost. */
function visit(analysis: Analysis, node: Node): void {
  const value = (each: Node | null) => evaluate(analysis, each)
  if (node.type === 'VariableDeclarator' && !bindModule(analysis, node))
    assign(analysis, part(node, 'id'), value(part(node, 'init')))
  if (/^For(Of|In)Statement$/.test(node.type)) bindLoop(analysis, node)
  if (node.type === 'AssignmentExpression') assign(analysis, part(node, 'left'), value(part(node, 'right')))
  if (node.type === 'UpdateExpression' || word(node, 'operator') === 'delete')
    noteWrite(analysis, part(node, 'argument'), NONE)
  if (/^(Call|New|Member)Expression$/.test(node.type)) value(node)
  for (const child of childNodes(node)) visit(analysis, child)
}

/** `const { table } = data`, of a whole file. */
function bindModule(analysis: Analysis, node: Node): boolean {
  const { script, shared } = analysis
  const { findScript } = shared
  const module = moduleOf(script, part(node, 'init'), findScript)
  if (!module || part(node, 'id')?.type !== 'ObjectPattern') return false
  for (const property of parts(part(node, 'id'), 'properties')) {
    const exported = findExport(module, word(part(property, 'key'), 'name') ?? '', findScript)
    const home = exported?.variable ? homeOf(exported.script, exported.variable, findScript) : null
    assign(
      analysis,
      part(property, 'value') ?? part(property, 'argument'),
      home ? ofHome(shared, home) : ofExports(shared, module),
    )
  }
  return true
}

function bindLoop(analysis: Analysis, node: Node): void {
  const left = part(node, 'left')
  const each = node.type === 'ForOfStatement' ? moved(evaluate(analysis, part(node, 'right')), -1) : NONE
  assign(
    analysis,
    left?.type === 'VariableDeclaration' ? part(parts(left, 'declarations')[0], 'id') : left,
    each,
  )
}

/** What a name, a pattern or a member gets. */
function assign(analysis: Analysis, target: Node | null, origins: Origins): void {
  switch (target?.type) {
    case 'Identifier':
      return assignName(analysis, target, origins)
    case 'MemberExpression':
      return noteWrite(analysis, target, origins)
    case 'AssignmentPattern':
      return assign(analysis, part(target, 'left'), union(origins, evaluate(analysis, part(target, 'right'))))
    case 'RestElement':
      return assign(analysis, part(target, 'argument'), moved(origins, 1))
    case 'ObjectPattern':
      for (const property of parts(target, 'properties'))
        assign(analysis, part(property, 'value') ?? property, moved(origins, -1))
      return
    case 'ArrayPattern':
      for (const element of parts(target, 'elements')) assign(analysis, element, moved(origins, -1))
  }
}

function assignName(analysis: Analysis, target: Node, origins: Origins): void {
  const { script, shared } = analysis
  const variable = variableOf(script, target) ?? declared(script, target)
  if (variable === null) return
  grow(shared, entryOf(shared.names, variable), origins)
  const holder = holderOf(shared, variable)
  const isDeclaration = variable.defs.some(({ name }) => (name as unknown as Node) === target)
  if (holder && !isDeclaration) addWrite(analysis, target, holder)
}

/** A parameter without a default has no reference of its own. */
function declared(script: ParsedScript, name: Node): Variable | null {
  const found = script.functions.findLast(({ node }) =>
    node.params.some((each) => name.start >= each.start && name.end <= each.end),
  )
  return (found && declaredBy(script, found.node).find((each) => each.name === word(name, 'name'))) ?? null
}

/** The closure that a variable is of, where that outlives the calls. */
function holderOf({ held }: Shared, { scope }: Variable): Origin | null {
  return held.get(scope.variableScope.block as unknown as Node) ?? null
}

/** A write to `a.b.c` changes what `a.b` is, and puts what is written into what `a` holds. */
function noteWrite(analysis: Analysis, target: Node | null, written: Origins): void {
  if (target?.type === 'Identifier') return assignName(analysis, target, written)
  if (target?.type !== 'MemberExpression') return
  changes(analysis, target, evaluate(analysis, part(target, 'object')))
  putInto(analysis, part(target, 'object'), moved(written, 1))
}

function putInto(analysis: Analysis, node: Node | null, origins: Origins): void {
  const { script, shared } = analysis
  if (node?.type === 'MemberExpression') return putInto(analysis, part(node, 'object'), moved(origins, 1))
  const variable = node?.type === 'Identifier' ? variableOf(script, node) : null
  if (variable && !isOfFile(script, variable)) grow(shared, entryOf(shared.names, variable), origins)
}

function changes(analysis: Analysis, node: Node, origins: Origins): void {
  for (const [origin, away] of origins) if (away === 0) addWrite(analysis, node, origin)
}

function addWrite({ script, shared }: Analysis, node: Node, origin: Origin): void {
  const known = shared.writes.get(node) ?? new Map<Origin, AliasWrite>()
  shared.writes.set(node, known.set(origin, { script, node, origin, name: originName(origin) }))
}

function evaluate(analysis: Analysis, node: Node | null): Origins {
  if (node === null) return NONE
  const { values, findScript } = analysis.shared
  const known = values.get(node)
  if (known) return known
  const module = moduleOf(analysis.script, node, findScript)
  const found = module ? ofExports(analysis.shared, module) : evaluateAnew(analysis, node)
  values.set(node, found)
  return found
}

function evaluateAnew(analysis: Analysis, node: Node): Origins {
  const value = (each: Node | null) => evaluate(analysis, each)
  switch (node.type) {
    case 'Identifier':
      return ofName(analysis, node)
    case 'ThisExpression':
      return ofThis(analysis, node)
    case 'MemberExpression':
      return ofMember(analysis, node)
    case 'ConditionalExpression':
      return union(value(part(node, 'consequent')), value(part(node, 'alternate')))
    case 'LogicalExpression':
      return union(value(part(node, 'left')), value(part(node, 'right')))
    case 'AssignmentExpression':
      return union(
        value(part(node, 'right')),
        /^(\|\||&&|\?\?)=$/.test(word(node, 'operator') ?? '') ? value(part(node, 'left')) : NONE,
      )
    case 'SequenceExpression':
      return value(parts(node, 'expressions').at(-1) ?? null)
    case 'ChainExpression':
      return value(part(node, 'expression'))
    case 'AwaitExpression':
      return value(part(node, 'argument'))
    case 'ArrayExpression':
      return union(...parts(node, 'elements').map((each) => within(analysis, each)))
    case 'ObjectExpression':
      return union(...parts(node, 'properties').map((each) => within(analysis, part(each, 'value') ?? each)))
    case 'NewExpression':
      return construct(analysis, node)
    case 'CallExpression':
      return call(analysis, node)
  }
  return NONE
}

function ofName({ script, shared }: Analysis, node: Node): Origins {
  const variable = variableOf(script, node)
  if (!variable) return script.isModule || word(node, 'name') !== 'exports' ? NONE : ofExports(shared, script)
  if (variable.name === 'arguments' && variable.defs.length === 0)
    return shared.lists.get(variable.scope.block as unknown as Node) ?? NONE
  const holder = holderOf(shared, variable)
  const known = shared.names.get(variable) ?? NONE
  const home = ofHome(shared, homeOf(script, variable, shared.findScript))
  return union(known, home, holder ? new Map([[holder, 0]]) : NONE)
}

function ofHome(shared: Shared, home: HomeVariable | null): Origins {
  const kept = home && keptAs(home, shared.findScript)
  if (!kept) return NONE
  return new Map([[originOf(shared, home.variable, () => ({ home, isClosed: kept === 'whole' })), 0]])
}

function ofExports(shared: Shared, exportsOf: ParsedScript): Origins {
  return new Map([[originOf(shared, exportsOf, () => ({ exportsOf })), 0]])
}

/** Arrow functions have that of the function around them. */
function ofThis({ script, shared }: Analysis, node: Node): Origins {
  let around = parentOf(script, node)
  while (around && (!isFunction(around) || around.type === 'ArrowFunctionExpression'))
    around = parentOf(script, around)
  return (around && shared.owners.get(around)) ?? NONE
}

function ofMember(analysis: Analysis, node: Node): Origins {
  const { script, shared } = analysis
  const { findScript } = shared
  const [object, name] = [part(node, 'object'), memberName(node)]
  if (name === 'length') return NONE
  const module = moduleOf(script, object, findScript)
  const exported = module && name !== null ? findExport(module, name, findScript) : null
  const home = exported?.variable ? homeOf(exported.script, exported.variable, findScript) : null
  if (home) return ofHome(shared, home)
  const owner = evaluate(analysis, object)
  const getters = called(analysis, node).filter(
    (each) => word(parentOf(each.script, each.node), 'kind') === 'get',
  )
  for (const getter of getters) enter(analysis, getter, { owner, given: [] })
  if (name === 'exports' && word(object, 'name') === 'module' && !script.isModule)
    return ofExports(shared, script)
  return union(moved(owner, -1), ...getters.map((getter) => resultOf(shared, getter)))
}

/** Of an element of a list, or of an object. What is spread is copied by one level. */
function within(analysis: Analysis, node: Node): Origins {
  if (node.type !== 'SpreadElement') return moved(evaluate(analysis, node), 1)
  return moved(moved(evaluate(analysis, part(node, 'argument')), -1), 1)
}

const known = new WeakMap<FindScript, Map<Node, (Definition & { node: FunctionNode })[]>>()

/** The functions of the user that an expression may be. */
function called(
  { script, shared: { findScript } }: Analysis,
  node: Node | null,
): (Definition & { node: FunctionNode })[] {
  if (node === null) return []
  const functions = known.get(findScript) ?? new Map<Node, (Definition & { node: FunctionNode })[]>()
  known.set(findScript, functions)
  const found = functions.get(node) ?? functionsOf(script, node, findScript)
  functions.set(node, found)
  return found
}

interface Entry {
  readonly owner: Origins
  readonly given: readonly Origins[]
}

/** It is called there. */
function enter(
  { shared }: Analysis,
  { script, node, heldBy }: Definition & { node: FunctionNode },
  { owner, given }: Entry,
): void {
  const isNew = !shared.reached.has(node)
  const isFed = heldBy !== null || owner.size > 0 || given.some(({ size }) => size > 0)
  if (isNew && shared.isShallow && shared.reached.size > 0 && !isFed) return
  if (isNew && shared.reached.size >= MAX_REACHED) return void (shared.isCut = true)
  if (isNew) {
    shared.reached.set(node, script)
    shared.hasGrown = true
  }
  if (heldBy) hold(shared, { script, node, heldBy })
  if (node.type !== 'ArrowFunctionExpression') grow(shared, entryOf(shared.owners, node), owner)
  grow(shared, entryOf(shared.lists, node), moved(union(...given), 1))
  const at = { script, shared }
  node.params.forEach((parameter, index) => {
    const rest = moved(union(...given.slice(index)), 0)
    if (parameter.type === 'RestElement') assign(at, part(parameter, 'argument'), moved(rest, 1))
    else assign(at, parameter, given[index] ?? NONE)
  })
}

/** The functions around it have been called when the file was loaded, and their variables stay. */
function hold(
  shared: Shared,
  { script, node, heldBy }: { script: ParsedScript; node: Node; heldBy: HomeVariable },
): void {
  for (let around = parentOf(script, node); around !== null; around = parentOf(script, around)) {
    if (!isFunction(around) || around === script.wrapper || shared.held.has(around)) continue
    shared.held.set(
      around,
      originOf(shared, heldBy.variable, () => ({ home: heldBy, isClosed: false })),
    )
    shared.hasGrown = true
  }
}

function construct(analysis: Analysis, node: Node): Origins {
  const { script, shared } = analysis
  const given = parts(node, 'arguments').map((each) => evaluate(analysis, each))
  const classes = definitionsOf(script, part(node, 'callee'), shared.findScript).filter((each) =>
    isClass(each.node),
  )
  for (const each of classes) {
    const maker = parts(part(each.node, 'body'), 'body').find(
      (member) => word(member, 'kind') === 'constructor',
    )
    const value = part(maker, 'value')
    if (value && isFunction(value))
      enter(analysis, { ...each, node: value, heldBy: null }, { owner: NONE, given })
  }
  const isView = /Array$|^DataView$/.test(word(part(node, 'callee'), 'name') ?? '')
  return isView ? union(...given.slice(0, 1)) : moved(union(...given), 1)
}

function call(analysis: Analysis, node: Node): Origins {
  const { shared } = analysis
  const callee = part(node, 'callee')
  const isMethod = callee?.type === 'MemberExpression'
  const owner = isMethod ? evaluate(analysis, part(callee, 'object')) : NONE
  const given = parts(node, 'arguments')
  const functions = called(analysis, callee).filter(
    (each) => word(parentOf(each.script, each.node), 'kind') !== 'get',
  )
  for (const each of functions)
    enter(analysis, each, { owner, given: given.map((one) => given1(analysis, one)) })
  if (functions.length === 0) enterBorrowed(analysis, node)
  const callbacks = given.flatMap((each) => called(analysis, each))
  const name = memberName(callee) ?? word(callee, 'name') ?? ''
  const values = given.map((each, at) =>
    called(analysis, given[at]!).length > 0 ? NONE : within(analysis, each),
  )
  const [first = NONE, second = null] = given.map((each) => evaluate(analysis, each))
  for (const each of callbacks) {
    enter(analysis, each, {
      owner: NONE,
      given: givenToCallback({ name, owner, first, second, result: () => resultOf(shared, each) }),
    })
  }
  if (functions.length > 0) return union(...functions.map((each) => resultOf(shared, each)))
  const change = { script: analysis.script, node, name, owner, first, second, values }
  for (const each of changedBy(change)) changes(analysis, node, each)
  if (isMethod && CHANGING.test(name))
    values.forEach((each, at) =>
      putInto(analysis, part(callee, 'object'), isKey(analysis, callee, at) ? moved(each, 1) : each),
    )
  return resultOfLanguage({
    name,
    owner,
    first,
    second,
    values,
    isSure: shared.isSure,
    callbacks: callbacks.map((each) => resultOf(shared, each)),
  })
}

/** `map.set(key, value)`, of a new Map whose keys nobody asks for. */
function isKey({ script }: Analysis, callee: Node, at: number): boolean {
  const object = part(callee, 'object')
  const variable =
    at === 0 && memberName(callee) === 'set' && object?.type === 'Identifier'
      ? variableOf(script, object)
      : null
  const [definition] = variable?.defs ?? []
  const made = part(part(definition?.node as unknown as Node, 'init'), 'callee')
  if (!variable || !/^(Weak)?Map$/.test(word(made, 'name') ?? '')) return false
  return variable.references.every(({ identifier, init }) => {
    const parent = parentOf(script, identifier as unknown as Node)
    return (
      init === true ||
      (part(parent, 'object') === (identifier as unknown) && KEYLESS.test(memberName(parent) ?? ''))
    )
  })
}

/** Of a Map, what gives no key. */
const KEYLESS = /^(get|set|has|delete|clear|size|values)$/

/** `f.call(owner, a)`, `f.apply(owner, list)` and `Reflect.apply(f, owner, list)`. */
function enterBorrowed(analysis: Analysis, node: Node): void {
  const callee = part(node, 'callee')
  const name = memberName(callee)
  const object = part(callee, 'object')
  const isReflect = word(object, 'name') === 'Reflect' && name === 'apply'
  if (!isReflect && !/^(call|apply)$/.test(name ?? '')) return
  const given = parts(node, 'arguments')
  const [owner = null, ...rest] = isReflect ? given.slice(1) : given
  const lists =
    name === 'apply'
      ? Array<Origins>(MAX_BORROWED).fill(moved(evaluate(analysis, rest[0] ?? null), -1))
      : null
  for (const each of called(analysis, isReflect ? (given[0] ?? null) : object))
    enter(analysis, each, {
      owner: evaluate(analysis, owner),
      given: lists ?? rest.map((one) => given1(analysis, one)),
    })
}

/** What is spread may be any of the next. */
function given1(analysis: Analysis, node: Node): Origins {
  return node.type === 'SpreadElement'
    ? moved(evaluate(analysis, part(node, 'argument')), -1)
    : evaluate(analysis, node)
}

/** All that a function may give. */
function resultOf(shared: Shared, { script, node }: { script: ParsedScript; node: FunctionNode }): Origins {
  const result = entryOf(shared.results, node)
  if (shared.open.has(node) || (shared.isShallow && shared.open.size >= SHALLOW)) return result
  shared.open.add(node)
  for (const value of returnsOf(node)) grow(shared, result, evaluate({ script, shared }, value))
  shared.open.delete(node)
  return result
}
