// Writes to what a function was given, or to what outlives its calls, by other names: of an element that `find` gives, of a row in a loop, of
// a part that a pattern takes, by a helper of another file, a method of an instance, a closure that a factory has made, or a function that is given
// to another one. Real calls may not have come by such a line.
//
// All that the function calls of the user's is followed. The names and results of those functions have the origins of all that is ever put
// into them, in any order and by any caller, until nothing is new.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { argumentsOf, flag, memberName, part, parts, word } from '../source/ast.js'
import { codeToCallback, givenToCallback, resultOfLanguage } from './calls-of-language.js'
import { changedBy, isChangingMethod, isUnaskedKey } from './changing-calls.js'
import { CHANGING } from '../source/constants.js'
import {
  homeOf,
  isClass,
  membersOf,
  moduleOf,
  returnsOf,
  yieldsOf,
  type Definition,
  type FunctionDefinition,
  type HomeVariable,
} from './definitions.js'
import { declaredAt, isOfFile, variableOf } from '../source/free-names.js'
import type { FindScript } from '../source/imports.js'
import { codeAt, functionsAt, giveCode, givenCode, type GivenCode } from './given-code.js'
import { holderOfThis, memberOfHolder, ownerOfMember } from '../source/holder-of-this.js'
import { keptAs } from './kept.js'
import { add, copied, moved, NONE, originName, union, type Origin, type Origins } from './origins.js'
import { parentOf } from '../source/parents.js'
import { findExport } from '../source/re-exports.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

const MAX_ROUNDS = 12
const MAX_REACHED = 300
/** Calls within calls whose results are looked at. */
const SHALLOW = 2
/** Classes above each other. */
const MAX_ABOVE = 9
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
  /** What `this` is in a method or a field; of a class what its objects hold. */
  readonly owners: Map<Node, Map<Origin, number>>
  /** Functions, classes and objects that names are given. */
  readonly code: GivenCode
  /** Values of fields of classes of which objects are made. */
  readonly fields: Map<Node, ParsedScript>
  /** All that is thrown: what is caught may be any of it. */
  readonly thrown: Map<Origin, number>
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
    code: { findScript, names: new Map(), receivers: new Map() },
    fields: new Map(),
    thrown: new Map(),
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
    for (const [each, home] of [...shared.reached, ...shared.fields]) visit({ script: home, shared }, each)
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

function give(shared: Shared, key: Variable, definitions: readonly Definition[]): void {
  if (giveCode(shared.code.names, key, definitions)) shared.hasGrown = true
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
  if (node.type === 'ThrowStatement')
    grow(analysis.shared, analysis.shared.thrown, value(part(node, 'argument')))
  if (node.type === 'CatchClause') assign(analysis, part(node, 'param'), new Map(analysis.shared.thrown))
  if (/^((Call|New|Member)Expression|TaggedTemplateExpression)$/.test(node.type)) value(node)
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
  const [left, right] = [part(node, 'left'), part(node, 'right')]
  const each = node.type === 'ForOfStatement' ? moved(evaluate(analysis, right), -1) : NONE
  const target = left?.type === 'VariableDeclaration' ? part(parts(left, 'declarations')[0], 'id') : left
  assign(analysis, target, each)
  assignCode(analysis, target, givenCode(analysis.script, right, analysis.shared.code))
}

/** The same for functions, classes and objects. */
function assignCode(analysis: Analysis, target: Node | null, definitions: readonly Definition[]): void {
  const { script, shared } = analysis
  if (definitions.length === 0) return
  if (target?.type === 'AssignmentPattern') return assignCode(analysis, part(target, 'left'), definitions)
  if (target?.type === 'RestElement') return assignCode(analysis, part(target, 'argument'), definitions)
  for (const property of parts(target, 'properties'))
    assignCode(
      analysis,
      part(property, 'value'),
      definitions.flatMap((each) => membersOf(each, word(part(property, 'key'), 'name'), shared.findScript)),
    )
  const variable =
    target?.type === 'Identifier' ? (variableOf(script, target) ?? declaredAt(script, target)) : null
  if (variable) give(shared, variable, definitions)
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
  const variable = variableOf(script, target) ?? declaredAt(script, target)
  if (variable === null) return
  grow(shared, entryOf(shared.names, variable), origins)
  const holder = holderOf(shared, variable)
  const isDeclaration = variable.defs.some(({ name }) => (name as unknown as Node) === target)
  if (holder && !isDeclaration) addWrite(analysis, target, holder)
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
  const made = node?.type === 'ThisExpression' ? classOfThis(script, node) : null
  if (made) grow(shared, entryOf(shared.owners, made), origins)
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
    case 'Super':
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
    case 'TaggedTemplateExpression':
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

/** Objects of a class hold what any of its methods puts into them. */
function ofThis({ script, shared }: Analysis, node: Node): Origins {
  const holder = holderOfThis(script, node)
  const made = classOfThis(script, node)
  return union(
    (holder && shared.owners.get(holder)) ?? NONE,
    (made && moved(shared.owners.get(made) ?? NONE, 0)) ?? NONE,
  )
}

function classOfThis(script: ParsedScript, node: Node): Node | null {
  const member = memberOfHolder(script, holderOfThis(script, node))
  const owner = member && !flag(member, 'static') ? ownerOfMember(script, member) : null
  return owner && isClass(owner) ? owner : null
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

/** The functions of the user that an expression may be. */
function called({ script, shared }: Analysis, node: Node | null): FunctionDefinition[] {
  return functionsAt(script, node, shared.code)
}

/** Functions, classes and objects of the user that an expression may be. */
function codeOf({ script, shared }: Analysis, node: Node | null): readonly Definition[] {
  return codeAt(script, node, shared.code)
}

interface Entry {
  readonly owner: Origins
  readonly given: readonly Origins[]
  /** Functions, classes and objects, by argument. */
  readonly code?: readonly (readonly Definition[])[]
  /** What `this` is, of those. */
  readonly receivers?: readonly Definition[]
}

/** It is called there. */
function enter(
  { shared }: Analysis,
  { script, node, heldBy }: FunctionDefinition,
  { owner, given, code = [], receivers = [] }: Entry,
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
  const holder = holderOfThis(script, part(node, 'body')!)
  if (
    holder === node ||
    holder?.type === 'PropertyDefinition' ||
    word(holder && parentOf(script, holder), 'kind') === 'constructor'
  ) {
    grow(shared, entryOf(shared.owners, holder!), owner)
    if (giveCode(shared.code.receivers, holder!, receivers)) shared.hasGrown = true
  }
  grow(shared, entryOf(shared.lists, node), moved(union(...given), 1))
  const at = { script, shared }
  node.params.forEach((parameter, index) => {
    const rest = moved(union(...given.slice(index)), 0)
    const isRest = parameter.type === 'RestElement'
    if (isRest) assign(at, part(parameter, 'argument'), moved(rest, 1))
    else assign(at, parameter, given[index] ?? NONE)
  })
  enterCode(at, node, code)
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
    giveFactory(shared, { script, node: around }, heldBy)
  }
}

/** `const up = pipe(one, two)`, when its file was loaded: functions that the closure has from there. */
function giveFactory(
  shared: Shared,
  { script, node }: { script: ParsedScript; node: FunctionNode },
  heldBy: HomeVariable,
): void {
  const init = part(heldBy.variable.defs[0]?.node as unknown as Node, 'init')
  if (init?.type !== 'CallExpression') return
  const code = argumentsOf(init).map((each) => codeOf({ script: heldBy.script, shared }, each))
  enterCode({ script, shared }, node, code)
}

function enterCode(at: Analysis, { params }: FunctionNode, code: readonly (readonly Definition[])[]): void {
  params.forEach((parameter, index) => {
    const isRest = parameter.type === 'RestElement'
    assignCode(at, parameter, isRest ? code.slice(index).flat() : (code[index] ?? []))
  })
}

function construct(analysis: Analysis, node: Node): Origins {
  const given = parts(node, 'arguments').map((each) => evaluate(analysis, each))
  const callee = part(node, 'callee')
  const classes = codeOf(analysis, callee).filter((each) => isClass(each.node) && !each.isInstance)
  const receivers = classes.map((each) => ({ ...each, isInstance: true }))
  const code = parts(node, 'arguments').map((each) => codeOf(analysis, each))
  const held = classes.map((each) => make(analysis, each, { owner: NONE, given, code, receivers }))
  const name = classes.length === 0 && callee?.type === 'Identifier' ? word(callee, 'name')! : ''
  if (/Array$|^(DataView|Proxy)$/.test(name)) return union(...given.slice(0, 1))
  if (/^(Weak)?(Map|Set)$/.test(name))
    return union(...given.map((each) => copied(each, /Map$/.test(name) ? 2 : 1)))
  return union(moved(union(...given), 1), ...held)
}

/** An object of a class: by its constructor or that of a class above, and by the fields of both. @returns what the object holds */
function make(analysis: Analysis, { script, node, heldBy }: Definition, entry: Entry, depth = 0): Origins {
  const { shared } = analysis
  const members = parts(part(node, 'body'), 'body')
  const at = { script, shared }
  const fields = members.flatMap((each) => {
    const value = each.type === 'PropertyDefinition' && !flag(each, 'static') ? part(each, 'value') : null
    return value && !isFunction(value) ? [value] : []
  })
  for (const each of fields) {
    if (!shared.fields.has(each)) shared.hasGrown = true
    shared.fields.set(each, script)
  }
  const maker = part(
    members.find((member) => word(member, 'kind') === 'constructor'),
    'value',
  )
  if (maker && isFunction(maker))
    enter(analysis, { script, node: maker, heldBy: null, isInstance: false }, entry)
  const above =
    depth > MAX_ABOVE || maker
      ? []
      : codeOf(at, part(node, 'superClass')).filter((each) => isClass(each.node))
  return union(
    ...fields.map((each) => moved(evaluate(at, each), 1)),
    shared.owners.get(node) ?? NONE,
    ...above.map((each) => make(analysis, { ...each, heldBy }, entry, depth + 1)),
  )
}

function call(analysis: Analysis, node: Node): Origins {
  const { shared } = analysis
  const callee = part(node, 'callee') ?? part(node, 'tag')
  const isMethod = callee?.type === 'MemberExpression'
  const object = isMethod ? part(callee, 'object') : null
  const owner = evaluate(analysis, object)
  const given = argumentsOf(node)
  const functions = called(analysis, callee).filter(
    (each) => word(parentOf(each.script, each.node), 'kind') !== 'get',
  )
  const code = given.map((each) => codeOf(analysis, each))
  const receivers = functions.length > 0 ? codeOf(analysis, object) : []
  const entry = { owner, given: given.map((one) => given1(analysis, one)), code, receivers }
  for (const each of functions) enter(analysis, each, entry)
  if (callee?.type === 'Super') makeAbove(analysis, callee, entry)
  if (functions.length === 0) enterBorrowed(analysis, node)
  const callbacks = given.flatMap((each) => called(analysis, each))
  const name = memberName(callee) ?? word(callee, 'name') ?? ''
  const values = given.map((each, at) =>
    called(analysis, given[at]!).length > 0 ? NONE : within(analysis, each),
  )
  const [first = NONE, second = null] = given.map((each) => evaluate(analysis, each))
  for (const each of callbacks) {
    enter(analysis, each, {
      owner: second ?? NONE,
      given: givenToCallback({
        name,
        owner,
        first,
        second,
        thrown: shared.thrown,
        result: () => resultOf(shared, each),
      }),
      code: codeToCallback(name, codeOf(analysis, object)),
    })
  }
  if (functions.length > 0) return union(...functions.map((each) => resultOf(shared, each)))
  for (const each of object && name === 'bind' ? [...given, object] : given)
    if (isChangingMethod(each) && called(analysis, each).length === 0)
      changes(analysis, node, union(evaluate(analysis, part(each, 'object')), second ?? NONE))
  changes(analysis, node, boundTo(analysis, callee))
  const change = { script: analysis.script, node, name, owner, first, second, values }
  for (const each of changedBy(change)) changes(analysis, node, each)
  if (isMethod && CHANGING.test(name))
    values.forEach((each, at) =>
      putInto(analysis, object, isUnaskedKey(analysis.script, callee, at) ? moved(each, 1) : each),
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

/** `const add = list.push.bind(list)`, in a file. */
function boundTo({ script, shared }: Analysis, callee: Node | null): Origins {
  const variable = callee?.type === 'Identifier' ? variableOf(script, callee) : null
  const home = homeOf(script, variable, shared.findScript)
  const init = part(home?.variable.defs[0]?.node as unknown as Node, 'init')
  const method = memberName(part(init, 'callee')) === 'bind' ? part(part(init, 'callee'), 'object') : null
  if (!home || !method || !isChangingMethod(method)) return NONE
  return evaluate({ script: home.script, shared }, part(method, 'object'))
}

/** `super(...)` */
function makeAbove(analysis: Analysis, callee: Node, entry: Entry): void {
  for (const each of codeOf(analysis, callee))
    if (isClass(each.node)) make(analysis, each, { ...entry, owner: ofThis(analysis, callee) })
}

/** `f.call(owner, a)`, `f.apply(owner, list)` and `Reflect.apply(f, owner, list)`. */
function enterBorrowed(analysis: Analysis, node: Node): void {
  const callee = part(node, 'callee')
  const name = memberName(callee)
  const object = part(callee, 'object')
  const isReflect = word(object, 'name') === 'Reflect' && name === 'apply'
  if (!isReflect && !/^(call|apply|bind)$/.test(name ?? '')) return
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
      code: lists ? [] : rest.map((one) => codeOf(analysis, one)),
      receivers: codeOf(analysis, owner),
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
  const at = { script, shared }
  for (const value of returnsOf(node)) grow(shared, result, evaluate(at, value))
  for (const { value, isAll } of yieldsOf(node))
    grow(shared, result, moved(evaluate(at, value), isAll ? 0 : 1))
  shared.open.delete(node)
  return result
}
