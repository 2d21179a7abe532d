// Variables of a file that are the same in every thread: made of nothing but text, numbers and tables, and changed by nobody.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { flag, memberName, part, parts, rootOf, word } from './ast.js'
import { isEnumCall } from './enums.js'
import { declaredBy, referencesTo, variableOf } from './free-names.js'
import { parentOf } from './parents.js'
import { childNodes, isFunction, type ParsedScript } from './script-functions.js'

const MAKERS =
  /^(Array|Object|JSON|Math|Number|String|BigInt|Boolean|Symbol|Buffer|Intl|Map|Set|RegExp|URL|TextEncoder|TextDecoder|\w+Array)$/
/** Methods that change what they belong to. */
export const CHANGING =
  /^(add|append|clear|copyWithin|delete|fill|getOrInsert(Computed)?|pop|push|reverse|set|set(Uint|Int|Float|BigInt|BigUint)\d+|set(Date|Hours|Minutes|Seconds|Milliseconds|Month|FullYear|Time|UTC\w+)|shift|resize|sort|splice|transfer(ToFixedLength)?|unshift|write\w*)$/

/** Whether its value is a constant as far as its own expression goes. An empty container is there to be filled. */
export function isConstant(node: Node): boolean {
  if (isFunction(node)) return true
  switch (node.type) {
    case 'Literal':
    case 'Identifier':
    case 'TemplateElement':
      return true
    case 'TemplateLiteral':
      return parts(node, 'expressions').every(isConstant)
    case 'ArrayExpression':
      return parts(node, 'elements').length > 0 && parts(node, 'elements').every(isConstant)
    case 'SpreadElement':
    case 'UnaryExpression':
      return isConstant(part(node, 'argument')!)
    case 'ObjectExpression':
      return parts(node, 'properties').length > 0 && parts(node, 'properties').every(isConstantProperty)
    case 'BinaryExpression':
    case 'LogicalExpression':
      return isConstant(part(node, 'left')!) && isConstant(part(node, 'right')!)
    case 'MemberExpression':
      return (
        isConstant(part(node, 'object')!) && (!flag(node, 'computed') || isConstant(part(node, 'property')!))
      )
    case 'NewExpression':
    case 'CallExpression':
      return isMaker(node) || isEnumCall(node)
    default:
      return false
  }
}

function isConstantProperty(node: Node): boolean {
  if (node.type === 'SpreadElement') return isConstant(node)
  return word(node, 'kind') === 'init' && isConstant(part(node, 'value')!)
}

/** `Object.freeze({ ... })`, `new Set([1, 2])`: of the language, with arguments that are constants. */
function isMaker(node: Node): boolean {
  const callee = part(node, 'callee')
  const given = parts(node, 'arguments')
  const name = word(rootOf(callee), 'name') ?? ''
  const isKnown = MAKERS.test(name) && memberName(callee) !== 'random'
  const isFull = given.length > 0 || /^(TextEncoder|TextDecoder|Intl)$/.test(name) // others are there to be filled
  return isKnown && isFull && given.every(isConstant)
}

/**
 * Whether its value is made anew by running its expression where it is needed: by functions and packages that are judged by themselves. What is
 * empty at first, and an emitter, is there to be filled.
 */
export function isMade(node: Node): boolean {
  const inner = node.type === 'AwaitExpression' ? null : node
  if (!inner || isEmptyContainer(inner) || isIterator(inner)) return false
  const isAllowed = (each: Node): boolean => {
    if (isFunction(each) || isOwnPlace(each)) return true
    if (/^(Await|Yield|This|Import|Update|Assignment)Expression$|^(MetaProperty|Super)$/.test(each.type))
      return false
    return childNodes(each).every(isAllowed)
  }
  return isAllowed(inner)
}

/** `import.meta.url`: the place of the file, which is text. */
function isOwnPlace(node: Node): boolean {
  return (
    /^(url|dirname|filename)$/.test(memberName(node) ?? '') && part(node, 'object')?.type === 'MetaProperty'
  )
}

/** It goes on where it was. */
function isIterator(node: Node): boolean {
  const callee = part(node, 'callee')
  const name = memberName(callee)
  return (
    (/^(values|entries|keys)$/.test(name ?? '') && word(part(callee, 'object'), 'name') !== 'Object') ||
    name === 'matchAll' ||
    (callee !== null && isFunction(callee) && callee.generator)
  )
}

function isEmptyContainer(node: Node): boolean {
  if (node.type === 'ArrayExpression') return parts(node, 'elements').length === 0
  if (node.type === 'ObjectExpression') return parts(node, 'properties').length === 0
  const name = word(part(node, 'callee'), 'name') ?? ''
  return node.type === 'NewExpression' && parts(node, 'arguments').length === 0 && MAKERS.test(name)
}

/** Whether anything in its file changes what it holds, or gives it to code that could. */
export function isChanged(script: ParsedScript, variable: Variable, init: Node | null): boolean {
  return (
    variable.references.some((reference) => reference.isWrite() && !reference.init) ||
    isChangedThrough(script, variable, { init, seen: new Set() })
  )
}

/** The same, but for what its file does when it is loaded. */
export function isChangedLater(script: ParsedScript, variable: Variable, init: Node | null): boolean {
  return (
    isChangedThrough(script, variable, { init, seen: new Set(), isLoading: true }) ||
    variable.references.some((each) => each.isWrite() && !each.init)
  )
}

interface Value {
  /** What a file does when it is loaded does not count. */
  readonly isLoading?: boolean
  /** Null: it is no container that a file has made. */
  readonly init: Node | null
  /** Names of it that are looked at already. */
  readonly seen: Set<Variable>
}

/** By the variable, but for another value that it gets. */
function isChangedThrough(script: ParsedScript, variable: Variable, value: Value): boolean {
  const { init, seen } = value
  if (seen.has(variable)) return false
  seen.add(variable)
  return variable.references.some((reference) => {
    if (reference.isWrite()) return false
    const use = reference.identifier as unknown as Node
    if (value.isLoading && !isWithinFunction(script, use) && !isGivenName(script, use)) return false
    const access = wholeAccess(script, use)
    const isObject = init !== null && (access === use ? isContainer(init) : holdsContainer(init))
    return isChangedAt(script, use) || (isObject && isGivenAway(script, access, value))
  })
}

/** `const other = table`, after which it has two names. */
function isGivenName(script: ParsedScript, use: Node): boolean {
  const access = wholeAccess(script, use)
  const outer = parentOf(script, access)
  return part(outer, 'init') === access || part(outer, 'right') === access
}

function isContainer({ type }: Node): boolean {
  return /^(Array|Object|New|Call)Expression$/.test(type)
}

function holdsContainer(init: Node): boolean {
  return childNodes(init).some(
    (child) =>
      (isContainer(child) && child !== part(init, 'callee')) || (!isFunction(child) && holdsContainer(child)),
  )
}

/** `TABLE.rows[0]` of `TABLE`. */
function wholeAccess(script: ParsedScript, node: Node): Node {
  const parent = parentOf(script, node)
  const isAccess = parent?.type === 'MemberExpression' && part(parent, 'object') === node
  return isAccess ? wholeAccess(script, parent) : node
}

/** Whether a function writes to properties of another one, or of a class, that belongs to its file. */
export function isUsedAsStore(script: ParsedScript, variable: Variable): boolean {
  return referencesTo(script, variable).some(({ identifier, init }) => {
    const use = identifier as unknown as Node
    return !init && isChangedAt(script, use) && isWithinFunction(script, use)
  })
}

/** What a file does when it is loaded is the same in every thread. */
export function isWithinFunction(script: ParsedScript, node: Node): boolean {
  const parent = parentOf(script, node)
  return (
    parent !== null && parent !== script.wrapper && (isFunction(parent) || isWithinFunction(script, parent))
  )
}

/** Whether static fields of a class may hold another thing after a call. */
export function keepsStatics(node: Node): boolean {
  const members = /^Class/.test(node.type) ? parts(part(node, 'body'), 'body') : []
  return members.some(
    (each) =>
      (each.type === 'StaticBlock' && !parts(each, 'body').every(isRegistering)) ||
      (each.type === 'PropertyDefinition' && flag(each, 'static') && isStore(node, each)),
  )
}

/** `registerClass(Money)`: the class stays as it is. */
function isRegistering(statement: Node): boolean {
  return word(part(part(statement, 'expression'), 'callee'), 'name') === 'registerClass'
}

function isStore(owner: Node, field: Node): boolean {
  const value = part(field, 'value')
  if (value !== null && isFunction(value)) return false
  const name = word(part(field, 'key'), 'name')
  return value === null || !isConstant(value) || writesTo(owner, name)
}

function writesTo(node: Node, name: string | null): boolean {
  const target = part(node, 'left') ?? (node.type === 'UpdateExpression' ? part(node, 'argument') : null)
  const called = node.type === 'CallExpression' ? part(node, 'callee') : null
  const isWritten = (each: Node | null): boolean =>
    each?.type === 'MemberExpression' &&
    (word(part(each, 'property'), 'name') === name || isWritten(part(each, 'object')))
  const isChanging =
    called !== null && CHANGING.test(memberName(called) ?? '') && isWritten(part(called, 'object'))
  return isChanging || isWritten(target) || childNodes(node).some((child) => writesTo(child, name))
}

/** By another name to code that changes it. What functions do that get it is found elsewhere. */
function isGivenAway(script: ParsedScript, node: Node, value: Value): boolean {
  const parent = parentOf(script, node)
  if (parent?.type === 'AssignmentExpression' && part(parent, 'right') === node) {
    const other = variableOf(script, part(parent, 'left'))
    return (
      word(parent, 'operator') === '=' &&
      (other === null || isChangedThrough(script, other, { ...value, isLoading: false }))
    )
  }
  const isLoop = parent?.type === 'ForOfStatement' && part(parent, 'right') === node
  const declarator = isLoop ? parts(part(parent, 'left'), 'declarations')[0] : parent
  if (declarator?.type !== 'VariableDeclarator') return false
  return declaredBy(script, declarator).some((variable) =>
    isChangedThrough(script, variable, { ...value, isLoading: false }),
  )
}

/** `Object.keys(table)` only reads; `Object.assign(table, more)` does not. */
export function mayChange(call: Node, given: Node): boolean {
  const callee = part(call, 'callee')
  if (!MAKERS.test(word(rootOf(callee), 'name') ?? '')) return true
  return (
    parts(call, 'arguments')[0] === given &&
    /^(assign|define\w+|setPrototypeOf)$/.test(memberName(callee) ?? '')
  )
}

/** Whether the place changes what a name holds. */
export function isChangedAt(script: ParsedScript, identifier: Node): boolean {
  let node = identifier
  for (;;) {
    const parent = parentOf(script, node)
    if (parent === null) return false
    if (parent.type === 'MemberExpression' && part(parent, 'object') === node) {
      const outer = parentOf(script, parent)
      const isCalled = outer?.type === 'CallExpression' && part(outer, 'callee') === parent
      if (isCalled) return memberName(parent) === null || CHANGING.test(memberName(parent)!)
      node = parent
      continue
    }
    if (parent.type === 'AssignmentExpression') return part(parent, 'left') === node
    return (
      parent.type === 'UpdateExpression' ||
      (parent.type === 'UnaryExpression' && word(parent, 'operator') === 'delete')
    )
  }
}
