// What an expression stands for in the user's source: functions, classes, objects with methods, followed through names, imports, members,
// and what factories return.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { flag, memberName, part, parts, word } from '../source/ast.js'
import { isOfFile, topVariables, variableOf } from '../source/free-names.js'
import { parentOf } from '../source/parents.js'
import { holderOfThis, memberOfHolder, ownerOfMember } from '../source/holder-of-this.js'
import { importOf, required, type FindScript } from '../source/imports.js'
import { findExport } from '../source/re-exports.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

const MAX_DEPTH = 12

/** A function, class or object as it is written, or an instance of a class. */
export interface Definition {
  readonly script: ParsedScript
  readonly node: Node
  readonly isInstance: boolean
  /** The variable of a file through which it is reached: it outlives the calls. Null: it is made anew where it is used. */
  readonly heldBy: HomeVariable | null
}

export type FunctionDefinition = Definition & { readonly node: FunctionNode }

export interface HomeVariable {
  readonly script: ParsedScript
  readonly variable: Variable
}

const homes = new WeakMap<FindScript, Map<Variable, HomeVariable | null>>()

/** A variable of a file; of what is imported that of the file that has it. Null: it is none, or of a package. */
export function homeOf(
  script: ParsedScript,
  variable: Variable | null,
  findScript: FindScript,
): HomeVariable | null {
  if (variable === null) return null
  const known = homes.get(findScript) ?? new Map<Variable, HomeVariable | null>()
  homes.set(findScript, known)
  if (!known.has(variable)) known.set(variable, findHome(script, variable, findScript))
  return known.get(variable)!
}

function findHome(script: ParsedScript, variable: Variable, findScript: FindScript): HomeVariable | null {
  const [definition] = variable.defs
  if (!definition) return null
  if (!isOfFile(script, variable)) return outerHome(script, variable)
  const imported = importOf(definition, variable)
  if (!imported || imported.module.endsWith('.json')) return { script, variable }
  const other = findScript(script, imported.module)
  if (!other || imported.exported === '*') return null
  const found = findExport(other, imported.exported, findScript)
  return found?.variable ? (homeOf(found.script, found.variable, findScript) ?? null) : null
}

/** The same for the same variable; of a file of JSON, which has none, by its name. */
export function homeKey({ variable }: HomeVariable): unknown {
  const [definition] = variable.defs
  const module = definition && importOf(definition, variable)?.module
  return module?.endsWith('.json') ? `json ${module.replace(/^.*\//, '')}` : variable
}

/** Within a class, and within a function that is named, their names are variables of their own. */
function outerHome(script: ParsedScript, { scope, defs: [definition] }: Variable): HomeVariable | null {
  if (!/^(class|function-expression-name)$/.test(scope.type)) return null
  const isIts = ({ defs: [other] }: Variable) => {
    const node = other?.node as unknown as Node | undefined
    return (
      node !== undefined &&
      (node === (definition!.node as unknown) || part(node, 'init') === (definition!.node as unknown))
    )
  }
  const variable = topVariables(script).find(isIts)
  return variable ? { script, variable } : null
}

/** The file of the user that an expression is all of: `import * as it`, `require('./it')`. */
export function moduleOf(
  script: ParsedScript,
  node: Node | null,
  findScript: FindScript,
): ParsedScript | null {
  const direct = required(node)
  if (direct !== null) return findScript(script, direct)
  if (node?.type !== 'Identifier') return null
  const variable = variableOf(script, node)
  const [definition] = variable?.defs ?? []
  const imported =
    variable && definition && isOfFile(script, variable) ? importOf(definition, variable) : null
  const other =
    imported && /^(\*|default)$/.test(imported.exported) ? findScript(script, imported.module) : null
  return other && (imported!.exported === '*' || !other.isModule) ? other : null
}

interface Place {
  readonly script: ParsedScript
  readonly findScript: FindScript
  readonly depth: number
}

export function definitionsOf(script: ParsedScript, node: Node | null, findScript: FindScript): Definition[] {
  return valuesOf(node, { script, findScript, depth: 0 })
}

/** The functions among them. */
export function functionsOf(
  script: ParsedScript,
  node: Node | null,
  findScript: FindScript,
): FunctionDefinition[] {
  return definitionsOf(script, node, findScript).filter(isFunctionItself)
}

export function isFunctionItself(definition: Definition): definition is FunctionDefinition {
  return !definition.isInstance && isFunction(definition.node)
}

function valuesOf(node: Node | null, place: Place): Definition[] {
  if (node === null || place.depth > MAX_DEPTH) return []
  const inner = { ...place, depth: place.depth + 1 }
  const all = (...nodes: (Node | null)[]) => nodes.flatMap((each) => valuesOf(each, inner))
  if (isFunction(node) || isClass(node) || node.type === 'ObjectExpression')
    return [ownDefinition(node, place)]
  switch (node.type) {
    case 'Identifier':
      return ofName(node, inner)
    case 'MemberExpression':
      return ofMember(node, inner)
    case 'ThisExpression':
      return ofThis(node, place)
    case 'Super':
      return ofThis(node, place).flatMap((each) => ofSuper(each, inner))
    case 'NewExpression':
      return all(part(node, 'callee'))
        .filter((each) => !each.isInstance && (isClass(each.node) || isFunction(each.node)))
        .map((each) => ({ ...each, heldBy: null, isInstance: true }))
    case 'CallExpression':
      return ofCall(node, inner)
    case 'ConditionalExpression':
      return all(part(node, 'consequent'), part(node, 'alternate'))
    case 'LogicalExpression':
      return all(part(node, 'left'), part(node, 'right'))
    case 'AssignmentExpression':
      return all(part(node, 'right'))
    case 'ChainExpression':
      return all(part(node, 'expression'))
    case 'AwaitExpression':
      return all(part(node, 'argument'))
    case 'SequenceExpression':
      return all(parts(node, 'expressions').at(-1) ?? null)
  }
  return []
}

function ownDefinition(node: Node, { script }: Place): Definition {
  return { script, node, isInstance: false, heldBy: null }
}

/** What it is by the source around it; an object of a class below that one has methods of its own. */
function ofThis(node: Node, { script }: Place): Definition[] {
  const member = memberOfHolder(script, holderOfThis(script, node))
  const owner = member && ownerOfMember(script, member)
  const isOfObjects = owner !== null && isClass(owner) && !flag(member!, 'static')
  return owner ? [{ script, node: owner, isInstance: isOfObjects, heldBy: null }] : []
}

function ofSuper({ script, node, isInstance }: Definition, place: Place): Definition[] {
  return valuesOf(part(node, 'superClass'), { ...place, script })
    .filter((each) => isClass(each.node))
    .map((each) => ({ ...each, isInstance }))
}

export const isClass = ({ type }: Node) => /^Class(Declaration|Expression)$/.test(type)

function ofName(node: Node, place: Place): Definition[] {
  const variable = variableOf(place.script, node)
  return variable ? ofVariable(variable, place) : []
}

function ofVariable(variable: Variable, place: Place): Definition[] {
  const { script, findScript } = place
  const [definition] = variable.defs
  if (!definition) return []
  const imported = importOf(definition, variable)
  if (imported) return ofImport(findScript(script, imported.module), imported.exported, place)
  const node = definition.node as unknown as Node
  if (/^(FunctionName|ClassName)$/.test(definition.type)) return [ownDefinition(node, place)]
  if (definition.type !== 'Variable') return []
  const found = ofDeclarator(node, variable, place)
  return isOfFile(script, variable) ? found.map((each) => ({ ...each, heldBy: { script, variable } })) : found
}

/** `const f = ...`, and `const { f } = tools`. */
function ofDeclarator(node: Node, { name }: Variable, place: Place): Definition[] {
  const id = part(node, 'id')
  const values = valuesOf(part(node, 'init'), place)
  if (id?.type === 'Identifier') return values
  const property = parts(id, 'properties').find((each) => word(part(each, 'value'), 'name') === name)
  const key = word(part(property, 'key'), 'name')
  return key === null ? [] : values.flatMap((each) => ofDefinition(each, key, place))
}

/** All that a CommonJS file exports is one value. */
function ofImport(other: ParsedScript | null, exported: string, place: Place): Definition[] {
  if (exported !== '*') return ofExport(other, exported, place)
  return other?.isModule === false ? ofExport(other, 'default', place) : []
}

function ofExport(other: ParsedScript | null, name: string, place: Place): Definition[] {
  const found = other && findExport(other, name, place.findScript)
  if (!found) return []
  const there = { ...place, script: found.script }
  return found.variable ? ofVariable(found.variable, there) : valuesOf(found.node, there)
}

function ofMember(node: Node, place: Place): Definition[] {
  const name = memberName(node)
  const object = part(node, 'object')
  const module = moduleOf(place.script, object, place.findScript)
  if (module && name !== null) {
    const exported = ofExport(module, name, place)
    if (exported.length > 0) return exported
  }
  if (word(object, 'name') === 'exports' && name !== null && variableOf(place.script, object) === null)
    return ofExport(place.script, name, place)
  return valuesOf(object, place).flatMap((each) => ofDefinition(each, name, place))
}

/** @param name null: any of them */
export function membersOf(definition: Definition, name: string | null, findScript: FindScript): Definition[] {
  return ofDefinition(definition, name, { script: definition.script, findScript, depth: 0 })
}

function ofDefinition(definition: Definition, name: string | null, place: Place): Definition[] {
  const { node, script, heldBy, isInstance } = definition
  const there = { ...place, script, depth: place.depth + 1 }
  const held = (list: Definition[]) => list.map((each) => ({ ...each, heldBy: each.heldBy ?? heldBy }))
  if (node.type === 'ObjectExpression')
    return held(parts(node, 'properties').flatMap((each) => ofProperty(each, name, there)))
  if (isInstance && isFunction(node)) return held(ofPrototype(node, name, there))
  if (!isClass(node)) return []
  const members = parts(part(node, 'body'), 'body')
  const named = members
    .filter((each) => flag(each, 'static') !== isInstance && isNamed(each, name))
    .map((each) => part(each, 'value'))
  const own = [...named, ...(isInstance ? givenByConstructor(members, name) : [])].flatMap((each) =>
    valuesOf(each, there),
  )
  if (own.length > 0 && name !== null) return held(own)
  return held([...own, ...ofSuper(definition, there).flatMap((each) => ofDefinition(each, name, there))])
}

/** `Counter.prototype.up = function () {}` and `Counter.prototype = { up() {} }`, of a function that makes objects. */
function ofPrototype(maker: Node, name: string | null, place: Place): Definition[] {
  const { script } = place
  const isIts = ({ defs: [definition] }: Variable) => {
    const node = definition?.node as unknown as Node | undefined
    return node === maker || (node !== undefined && part(node, 'init') === maker)
  }
  const uses = topVariables(script).find(isIts)?.references ?? []
  return uses.flatMap(({ identifier }) => {
    const prototype = parentOf(script, identifier as unknown as Node)
    if (memberName(prototype) !== 'prototype') return []
    const above = parentOf(script, prototype!)
    const member = above?.type === 'MemberExpression' ? above : null
    const assignment = parentOf(script, member ?? prototype!)
    if (part(assignment, 'left') !== (member ?? prototype)) return []
    if (member === null)
      return valuesOf(part(assignment, 'right'), place).flatMap((each) => ofDefinition(each, name, place))
    return name === null || memberName(member) === name ? valuesOf(part(assignment, 'right'), place) : []
  })
}

/** `this.step = () => ...` */
function givenByConstructor(members: readonly Node[], name: string | null): (Node | null)[] {
  const maker = members.find((each) => word(each, 'kind') === 'constructor')
  return parts(part(part(maker, 'value'), 'body'), 'body').flatMap((statement) => {
    const assignment = part(statement, 'expression')
    const target = assignment?.type === 'AssignmentExpression' ? part(assignment, 'left') : null
    const isOwn = part(target, 'object')?.type === 'ThisExpression'
    return isOwn && (name === null || memberName(target) === name) ? [part(assignment, 'right')] : []
  })
}

function ofProperty(property: Node, name: string | null, place: Place): Definition[] {
  if (property.type === 'SpreadElement')
    return valuesOf(part(property, 'argument'), place).flatMap((each) => ofDefinition(each, name, place))
  return isNamed(property, name) ? valuesOf(part(property, 'value'), place) : []
}

function isNamed(member: Node, name: string | null): boolean {
  const key = part(member, 'key')
  if (name === null || flag(member, 'computed')) return true
  return (word(key, 'name') ?? String((key as unknown as { value?: unknown } | null)?.value)) === name
}

/** What a factory returns, with functions of its own. */
function ofCall(call: Node, place: Place): Definition[] {
  const callee = part(call, 'callee')
  const given = parts(call, 'arguments')
  const isPassing =
    word(callee, 'name') === '__name' || /^(freeze|seal|assign)$/.test(memberName(callee) ?? '')
  if (isPassing) return given.flatMap((each) => valuesOf(each, place))
  return valuesOf(callee, place)
    .filter(isFunctionItself)
    .flatMap(({ node, script }) => returnsOf(node).flatMap((each) => valuesOf(each, { ...place, script })))
}

interface Given {
  readonly returned: Node[]
  readonly yielded: { value: Node; isAll: boolean }[]
}

/** Each function is asked very often. */
const given = new WeakMap<FunctionNode, Given>()

/** The expressions that a function may return. */
export function returnsOf(node: FunctionNode): Node[] {
  return givenBy(node).returned
}

/** What a generator gives one by one; `isAll`: all that is in a list, or comes of another generator. */
export function yieldsOf(node: FunctionNode): Given['yielded'] {
  return givenBy(node).yielded
}

function givenBy(node: FunctionNode): Given {
  const known = given.get(node)
  if (known) return known
  const found: Given = { returned: [], yielded: [] }
  const visit = (each: Node): void => {
    if (isFunction(each)) return
    const value = part(each, 'argument')
    if (value && each.type === 'ReturnStatement') found.returned.push(value)
    if (value && each.type === 'YieldExpression') found.yielded.push({ value, isAll: flag(each, 'delegate') })
    childNodes(each).forEach(visit)
  }
  if (node.body.type === 'BlockStatement') visit(node.body)
  else found.returned.push(node.body)
  given.set(node, found)
  return found
}
