// The classes of what a function throws, as its source names them, and how a module registers them: with registerClass a caller in another
// thread gets an error of the same class.
//
//   throw new OutOfStock(sku)        the variable `OutOfStock` of the file, or of another one
//   throw errors.OutOfStock.of(sku)  the first part of the path that is a class
//   throw soldOut(sku)               what the function `soldOut` of the user returns
//   failed.push(new OutOfStock())    each error of a class of the user that is made there: it is made to be thrown, by whatever way

import type { Node } from 'acorn'
import { isBuiltin } from 'node:module'
import { memberName, part, parts, rootOf, word } from '../source/ast.js'
import { isOfFile, topVariables, variableOf } from '../source/free-names.js'
import { importOf, type FindScript } from '../source/imports.js'
import type { Reached } from '../effects/judge-source.js'
import { findExport } from '../source/re-exports.js'
import { childNodes, isFunction, type ParsedScript } from '../source/script-functions.js'

/** How a module names a class in a call of registerClass. */
export interface Registration {
  readonly script: ParsedScript
  /** Such as "OutOfStock" and "errors.OutOfStock". */
  readonly text: string
}

export interface ThrownClass {
  readonly name: string
  /** Where it is thrown. */
  readonly script: ParsedScript
  readonly node: Node
  /** Of a class of the user, where it is written. */
  readonly declared: Reached | null
  /** The package that it is of. */
  readonly package: string | null
  /** Null: no module can name it. */
  readonly registration: Registration | null
  /** Its objects hold something that is in no field: a registered class needs functions then. */
  readonly hasPrivate: boolean
  /** The app registers it by itself. */
  readonly isRegistered: boolean
}

const OF_LANGUAGE = /^(Aggregate|Eval|Range|Reference|Suppressed|Syntax|Type|URI)?Error$|^DOMException$/
/** Functions that return what other ones return. */
const MAX_DEPTH = 3
/** Classes above each other. */
const MAX_ABOVE = 9

/** Each class once. Those of the language and what somebody else has thrown are left out. */
export function thrownClasses(reached: readonly Reached[], findScript: FindScript): ThrownClass[] {
  const found = new Map<unknown, ThrownClass>()
  for (const { script, node } of reached)
    for (const thrown of [...thrownIn(node), ...errorsMadeIn(script, node, findScript)])
      for (const each of classesOf(script, thrown, { findScript, depth: 0 }))
        if (!found.has(classKey(each))) found.set(classKey(each), each)
  return [...found.values()]
}

export const classKey = ({
  declared,
  package: from,
  name,
}: Pick<ThrownClass, 'declared' | 'package' | 'name'>) => declared?.node ?? `${from} ${name}`

/** What is thrown, and what promises are rejected with. */
function thrownIn(node: Node): Node[] {
  const isReject =
    memberName(part(node, 'callee')) === 'reject' || word(part(node, 'callee'), 'name') === 'reject'
  const own =
    node.type === 'ThrowStatement' ? part(node, 'argument') : isReject ? parts(node, 'arguments')[0] : null
  return [...(own ? [own] : []), ...childNodes(node).flatMap(thrownIn)]
}

/** Objects of classes of the user that are errors. */
function errorsMadeIn(script: ParsedScript, node: Node, findScript: FindScript): Node[] {
  const callee = node.type === 'NewExpression' ? part(node, 'callee') : null
  const target = callee && targetOf(script, callee, findScript)
  const isIts = target !== null && isErrorClass(target, findScript)
  return [
    ...(isIts ? [node] : []),
    ...childNodes(node).flatMap((each) => errorsMadeIn(script, each, findScript)),
  ]
}

function isErrorClass({ script, node }: Reached, findScript: FindScript, depth = 0): boolean {
  const above = isClass(node) ? part(node, 'superClass') : null
  if (above === null || depth > MAX_ABOVE) return false
  const target = targetOf(script, above, findScript)
  return target && isClass(target.node)
    ? isErrorClass(target, findScript, depth + 1)
    : /(Error|Exception)$/.test(memberName(above) ?? word(above, 'name') ?? '')
}

interface Way {
  readonly findScript: FindScript
  readonly depth: number
}

/** Of an expression. */
function classesOf(script: ParsedScript, value: Node, { findScript, depth }: Way): ThrownClass[] {
  if (depth > MAX_DEPTH) return []
  const deeper = (node: Node | null, other = script) =>
    node ? classesOf(other, node, { findScript, depth: depth + 1 }) : []
  if (value.type === 'ConditionalExpression')
    return [...deeper(part(value, 'consequent')), ...deeper(part(value, 'alternate'))]
  if (value.type === 'LogicalExpression')
    return [...deeper(part(value, 'left')), ...deeper(part(value, 'right'))]
  if (value.type === 'Identifier')
    return deeper(part(variableOf(script, value)?.defs[0]?.node as unknown as Node, 'init'))
  if (!/^(New|Call)Expression$/.test(value.type)) return []
  if (memberName(part(value, 'callee')) === 'assign') return deeper(parts(value, 'arguments')[0] ?? null)
  const callee = part(value, 'callee')!
  const made = value.type === 'CallExpression' ? targetOf(script, callee, findScript) : null
  if (made && isFunction(made.node)) return returnedBy(made.node).flatMap((each) => deeper(each, made.script))
  const found = describe(script, callee, findScript)
  return found ? [{ ...found, script, node: value }] : []
}

/** The function or class that an expression names, where it is the user's. */
function targetOf(script: ParsedScript, callee: Node, findScript: FindScript): Reached | null {
  const root = rootOf(callee)
  const variable = root?.type === 'Identifier' ? variableOf(script, root) : null
  const [definition] = variable?.defs ?? []
  if (!variable || !definition) return null
  const imported = importOf(definition, variable)
  if (!imported) return root === callee ? { script, node: codeOf(definition.node as unknown as Node) } : null
  const other = isBuiltin(imported.module) ? null : findScript(script, imported.module)
  const name = imported.exported === '*' || root !== callee ? memberName(callee) : imported.exported
  const found = other && name !== null ? findExport(other, name, findScript) : null
  if (!found) return null
  const [own] = found.variable?.defs ?? []
  return { script: found.script, node: own ? codeOf(own.node as unknown as Node) : found.node }
}

/** esbuild, and so tsx, writes `const f = __name(() => ..., "f")`. */
export function codeOf(node: Node): Node {
  const init = part(node, 'init') ?? node
  const isNaming = word(part(init, 'callee'), 'name') === '__name'
  return isNaming ? (parts(init, 'arguments')[0] ?? init) : init
}

export const isClass = ({ type }: Node) => /^Class/.test(type)

/** By what is called to make it; null: it is of the language. */
function describe(
  script: ParsedScript,
  callee: Node,
  findScript: FindScript,
): Omit<ThrownClass, 'script' | 'node'> | null {
  const target = targetOf(script, callee, findScript)
  const name = memberName(callee) ?? word(callee, 'name') ?? 'a class that is computed'
  const isNamed = /^(Identifier|MemberExpression)$/.test(callee.type) && isOfTop(script, callee)
  if (target && isClass(target.node)) {
    const registration = isNamed ? { script, text: script.text.slice(callee.start, callee.end) } : null
    return { ...describeClass(name, target, findScript), registration }
  }
  if (OF_LANGUAGE.test(name)) return null
  return {
    name,
    declared: null,
    package: packageOf(script, callee),
    registration: null,
    hasPrivate: false,
    isRegistered: false,
  }
}

/** One of the user's. */
export function describeClass(
  name: string,
  declared: Reached,
  findScript: FindScript,
): Omit<ThrownClass, 'script' | 'node' | 'registration'> {
  return {
    name,
    declared,
    package: null,
    hasPrivate: hasPrivate(declared, findScript),
    isRegistered: isRegistered(declared),
  }
}

function isOfTop(script: ParsedScript, callee: Node): boolean {
  const root = rootOf(callee)
  const variable = root?.type === 'Identifier' ? variableOf(script, root) : null
  return variable !== null && isOfFile(script, variable)
}

function packageOf(script: ParsedScript, callee: Node): string | null {
  const root = rootOf(callee)
  const variable = root?.type === 'Identifier' ? variableOf(script, root) : null
  const [definition] = variable?.defs ?? []
  return (definition && importOf(definition, variable!)?.module) ?? null
}

/** Fields such as `#status`, of the class or of one of the user's above it. */
function hasPrivate({ script, node }: Reached, findScript: FindScript, depth = 0): boolean {
  const members = parts(part(node, 'body'), 'body')
  if (members.some((each) => part(each, 'key')?.type === 'PrivateIdentifier')) return true
  const above = part(node, 'superClass')
  const target = above && depth < MAX_ABOVE ? targetOf(script, above, findScript) : null
  return target !== null && isClass(target.node) && hasPrivate(target, findScript, depth + 1)
}

/** By a call in its file, or in a static block of its own. */
function isRegistered({ script, node }: Reached): boolean {
  const names = topVariables(script).filter(
    ({ defs: [definition] }) => definition && codeOf(definition.node as unknown as Node) === node,
  )
  const own = word(part(node, 'id'), 'name')
  const known = new Set<string | null>(
    [own, ...names.map(({ name }) => name)].filter((each) => each !== null),
  )
  const isIts = (each: Node) =>
    word(part(each, 'callee'), 'name') === 'registerClass' &&
    known.has(
      word(parts(each, 'arguments')[0], 'name') ??
        (parts(each, 'arguments')[0]?.type === 'ThisExpression' ? own : null),
    )
  const visit = (each: Node): boolean => isIts(each) || childNodes(each).some(visit)
  return visit(script.program)
}

/** Expressions. */
function returnedBy(node: Node): Node[] {
  const body = part(node, 'body')!
  if (body.type !== 'BlockStatement') return [body]
  const visit = (each: Node): Node[] => {
    if (isFunction(each)) return []
    const own = each.type === 'ReturnStatement' ? part(each, 'argument') : null
    return [...(own ? [own] : []), ...childNodes(each).flatMap(visit)]
  }
  return childNodes(body).flatMap(visit)
}
