// Places in the source where it matters which object a value is, or of what class: a copy in another thread is another one. Calls that were
// seen need not have come by there.

import type { Node } from 'acorn'
import { type Aliases } from './alias-writes.js'
import { flag, memberName, part, parts, word } from '../source/ast.js'
import { homeOf, isClass, definitionsOf, returnsOf } from './definitions.js'
import { topVariable, undeclared, variableOf } from '../source/free-names.js'
import { importOf, type FindScript } from '../source/imports.js'
import { moved, type Origins } from './origins.js'
import { parentOf } from '../source/parents.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

export interface IdentityNote {
  /**
   * `gives`: it may return the very object; `throws`: or throw it; `compares`: it looks whether it is a certain object; `class`: whether it is of a class;
   * `calls`: it calls a function that it is given; `symbol`: it looks at a field under a symbol; `frozen`: or whether it is frozen; `makes`: it may
   * return what no copy is, such as an object of a class.
   */
  readonly kind: 'gives' | 'throws' | 'compares' | 'class' | 'calls' | 'symbol' | 'frozen' | 'makes'
  /** Of `gives` and `compares` the variable, of the others what it looks for. */
  readonly name: string
  /** The place of the argument from 0; null: it is none. */
  readonly argument: number | null
  /** Of `gives` and `compares`: names that lead from the argument to the value; null: it is somewhere within. */
  readonly path: readonly string[] | null
  readonly script: ParsedScript
  readonly node: Node
}

interface Look {
  readonly aliases: Aliases
  readonly findScript: FindScript
}

export function identityNotes(script: ParsedScript, root: FunctionNode, look: Look): IdentityNote[] {
  const given = returnsOf(root).flatMap((each) => givenBy(script, each, { ...look, depth: 0, isPart: false }))
  const looked = [...look.aliases.reached].flatMap(([node, home]) => lookedAt(home, node, look))
  const notes = new Map(
    [...given, ...looked].map((note) => [`${note.kind} ${note.name} ${note.node.start}`, note]),
  )
  return [...notes.values()]
}

const MAX_DEPTH = 4

interface Depth extends Look {
  readonly depth: number
  /** Of an object or a list: a promise that is one is not waited for. */
  readonly isPart: boolean
}

/** What an expression that is returned gives as it is, alone or as a part. */
function givenBy(script: ParsedScript, node: Node | null, look: Depth): IdentityNote[] {
  const inner = { ...look, depth: look.depth + 1 }
  const all = (...nodes: (Node | null)[]) => nodes.flatMap((each) => givenBy(script, each, inner))
  const parted = (nodes: (Node | null)[]) =>
    nodes.flatMap((each) => givenBy(script, each, { ...inner, isPart: true }))
  if (node === null || look.depth > MAX_DEPTH) return []
  switch (node.type) {
    case 'ConditionalExpression':
      return all(part(node, 'consequent'), part(node, 'alternate'))
    case 'LogicalExpression':
      return all(part(node, 'left'), part(node, 'right'))
    case 'AwaitExpression':
      return givenBy(script, part(node, 'argument'), { ...inner, isPart: false })
    case 'ChainExpression':
      return all(part(node, 'expression'))
    case 'ObjectExpression':
      return parted(parts(node, 'properties').map((each) => part(each, 'value')))
    case 'ArrayExpression':
      return parted(parts(node, 'elements'))
    case 'CallExpression':
      return [...ofCall(script, node, inner), ...madeNote(script, node, madeByCall(node, look))]
    case 'Identifier':
    case 'MemberExpression':
      return ofValue(script, node, inner)
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return madeNote(script, node, 'a function')
    case 'NewExpression':
      return madeNote(script, node, madeByNew(script, node, look))
  }
  return []
}

function madeNote(script: ParsedScript, node: Node, name: string | null): IdentityNote[] {
  return name === null ? [] : [{ kind: 'makes', name, argument: null, path: null, script, node }]
}

/** Of such a call what no copy is; null: a copy is the same, or that cannot be told. */
function madeByCall(node: Node, { isPart }: Depth): string | null {
  const callee = part(node, 'callee')
  const [holder, name] = [word(part(callee, 'object'), 'name'), memberName(callee) ?? word(callee, 'name')]
  if ((holder === null && name === 'Symbol') || holder === 'Symbol') return 'a symbol'
  if (holder === 'Promise') return isPart ? 'a promise' : null
  if (holder === 'Object' && name === 'create') return 'an object with another prototype'
  return callee?.type === 'MemberExpression' &&
    holder !== 'Object' &&
    /^(values|entries|keys|matchAll)$/.test(name ?? '')
    ? 'an iterator'
    : null
}

/** Classes of the language of which a copy has the class, too. */
const COPIED =
  /^(Array|ArrayBuffer|Big(Ui|I)nt64Array|Blob|Boolean|DataView|Date|\w*Error|Float\d+Array|Int\d+Array|Map|Number|Object|RegExp|Set|SharedArrayBuffer|String|Uint\d+(Clamped)?Array)$/

function madeByNew(script: ParsedScript, node: Node, { findScript, isPart }: Depth): string | null {
  const callee = part(node, 'callee')
  const name = memberName(callee) ?? word(callee, 'name')
  if (callee?.type === 'Identifier' && isOfLanguage(script, callee) && COPIED.test(name!)) return null
  if (name === 'Promise' && callee && isOfLanguage(script, callee)) return isPart ? 'a promise' : null
  const [found] = definitionsOf(script, callee, findScript)
  const isOwn = found !== undefined && isClass(found.node)
  const isImported = importOfCallee(script, callee) !== null
  return isOwn || isImported || (callee && isOfLanguage(script, callee))
    ? `an object of ${name ?? 'a class'}`
    : null
}

function importOfCallee(script: ParsedScript, callee: Node | null): unknown {
  const variable = callee?.type === 'Identifier' ? variableOf(script, callee) : null
  const [definition] = variable?.defs ?? []
  return definition ? importOf(definition, variable!) : null
}

/** What functions of the user give that they keep. */
function ofCall(script: ParsedScript, node: Node, look: Depth): IdentityNote[] {
  const { aliases } = look
  const name = memberName(part(node, 'callee')) ?? ''
  if (/^(find|findLast|at|get|pop|shift|next|deref|freeze|reduce|reduceRight)$/.test(name))
    return noteOf(script, node, look)
  return aliases
    .functionsOf(script, part(node, 'callee')!)
    .flatMap((each) =>
      returnsOf(each.node as FunctionNode).flatMap((value) => givenBy(each.script, value, look)),
    )
    .filter(({ argument }) => argument === null)
}

/** A name that is given one value has that of this value. */
function ofValue(script: ParsedScript, node: Node, look: Depth): IdentityNote[] {
  const variable = node.type === 'Identifier' ? variableOf(script, node) : null
  const [definition, more] = variable?.defs ?? []
  const init = definition?.type === 'Variable' ? part(definition.node as unknown as Node, 'init') : null
  const isOnce =
    variable?.references.every((each) => !each.isWrite() || each.init) === true && more === undefined
  const isLocal = variable !== null && topVariable(script, variable.name) !== variable
  const isName = part(definition?.node as unknown as Node, 'id')?.type === 'Identifier'
  if (isLocal && isOnce && init && isName) return givenBy(script, init, look)
  return noteOf(script, node, look)
}

function noteOf(script: ParsedScript, node: Node, { aliases, findScript }: Look): IdentityNote[] {
  return [...aliases.originsOf(script, node)].flatMap(([origin, away]): IdentityNote[] => {
    if (away > 0) return []
    if ('argument' in origin)
      return [
        {
          kind: 'gives',
          name: `argument ${origin.argument + 1}`,
          argument: origin.argument,
          path: pathFrom(script, node, origin.argument),
          script,
          node,
        },
      ]
    if (!('home' in origin) || origin.isClosed || !isObject(script, node, findScript)) return []
    return [{ kind: 'gives', name: origin.home.variable.name, argument: null, path: null, script, node }]
  })
}

interface Path {
  /** Of the parameter, from 0. */
  readonly index: number
  readonly names: readonly string[]
}

/** From that argument: a default value may be of another one. */
function pathFrom(
  script: ParsedScript,
  node: Node | null,
  argument: number | null,
): readonly string[] | null {
  const paths = node === null ? [] : [pathTo(script, node), pathTo(script, defaultOf(script, node))]
  return paths.find((path) => path?.index === argument)?.names ?? null
}

function defaultOf(script: ParsedScript, node: Node): Node | null {
  const [definition] = variableOf(script, node)?.defs ?? []
  const parent = definition && parentOf(script, definition.name as unknown as Node)
  return parent?.type === 'AssignmentPattern' ? part(parent, 'right') : null
}

/** Names from a parameter to the value; null: it is found otherwise. */
function pathTo(script: ParsedScript, node: Node | null): Path | null {
  if (node === null) return null
  if (node.type === 'ChainExpression') return pathTo(script, part(node, 'expression'))
  if (node.type === 'MemberExpression') {
    const [above, name] = [pathTo(script, part(node, 'object')), memberName(node)]
    return above && name !== null ? { ...above, names: [...above.names, name] } : null
  }
  const variable = variableOf(script, node)
  const [definition] = variable?.defs ?? []
  if (definition?.type !== 'Parameter' || variable!.references.some((each) => each.isWrite() && !each.init))
    return null
  const name = definition.name as unknown as Node
  const { params } = definition.node as unknown as FunctionNode
  const index = params.findIndex((each) => each.start <= name.start && name.end <= each.end)
  const names = index < 0 ? null : patternPath(params[index]!, name)
  return names && { index, names }
}

/** `{ a: { b } }` leads to `b` by `a` and `b`. */
function patternPath(pattern: Node, name: Node): string[] | null {
  if (pattern === name) return []
  if (pattern.type === 'AssignmentPattern') return patternPath(part(pattern, 'left')!, name)
  const isWithin = (each: Node | null) => each !== null && each.start <= name.start && name.end <= each.end
  const property = parts(pattern, 'properties').find((each) => isWithin(part(each, 'value')))
  if (!property || flag(property, 'computed')) return null
  const inner = patternPath(part(property, 'value')!, name)
  const key = word(part(property, 'key'), 'name')
  return inner && key !== null ? [key, ...inner] : null
}

/** A variable of a file that holds an object, or an element of one that holds objects. */
function isObject(script: ParsedScript, node: Node, findScript: FindScript): boolean {
  const isName = node.type === 'Identifier'
  if (isName) {
    const [definition] = definitionsOf(script, node, findScript)
    if (definition && !definition.isInstance && (isFunction(definition.node) || isClass(definition.node)))
      return false
  }
  const variable = variableOf(script, isName ? node : rootName(node))
  const [defined] = variable?.defs ?? []
  const imported = defined && importOf(defined, variable!)
  const init =
    defined?.type === 'Variable' && !imported ? part(defined.node as unknown as Node, 'init') : null
  if (imported) return isName || node.type === 'CallExpression'
  if (init === null || part(defined!.node as unknown as Node, 'id')?.type !== 'Identifier') return false
  return isName ? isContainer(init) : childNodes(init).some(holdsContainer)
}

function rootName(node: Node | null): Node | null {
  if (node?.type === 'CallExpression') return rootName(part(node, 'callee'))
  if (node?.type === 'MemberExpression') return rootName(part(node, 'object'))
  return node
}

const isContainer = ({ type }: Node) => /^(Array|Object|New|Call)Expression$/.test(type)
const holdsContainer = (node: Node): boolean =>
  /^(Array|Object)Expression$/.test(node.type) || (!isFunction(node) && childNodes(node).some(holdsContainer))

/** Of all that a function does. */
function lookedAt(script: ParsedScript, root: FunctionNode, look: Look): IdentityNote[] {
  const found: IdentityNote[] = []
  const visit = (node: Node) => {
    found.push(...lookAt(script, node, look))
    childNodes(node).forEach(visit)
  }
  visit(root)
  return found
}

function lookAt(script: ParsedScript, node: Node, { aliases, findScript }: Look): IdentityNote[] {
  const argumentOf = (each: Node | null) => firstArgument(aliases.originsOf(script, each))
  const note = (kind: IdentityNote['kind'], name: string, of: Node | null): IdentityNote[] => {
    const argument = argumentOf(of)
    const path = pathFrom(script, of, argument)
    return argument === null ? [] : [{ kind, name, argument, path, script, node }]
  }
  const [left, right] = [part(node, 'left'), part(node, 'right')]
  switch (node.type) {
    case 'ThrowStatement':
      return throwsOf(script, part(node, 'argument'), { aliases, findScript })
    case 'BinaryExpression':
      if (word(node, 'operator') === 'instanceof')
        return isOfLanguage(script, right) ? [] : note('class', nameOf(right), left)
      if (!/^[!=]==?$/.test(word(node, 'operator') ?? '')) return []
      return [
        ...(isKeptObject(script, right, aliases, findScript) ? note('compares', nameOf(right), left) : []),
        ...(isKeptObject(script, left, aliases, findScript) ? note('compares', nameOf(left), right) : []),
      ]
    case 'SwitchStatement':
      return parts(node, 'cases').flatMap((each) =>
        isKeptObject(script, part(each, 'test'), aliases, findScript)
          ? note('compares', nameOf(part(each, 'test')), part(node, 'discriminant'))
          : [],
      )
    case 'MemberExpression':
      if (memberName(node) === 'constructor')
        return note('class', 'class by its constructor', part(node, 'object'))
      return flag(node, 'computed') && isSymbol(script, part(node, 'property'), findScript)
        ? note('symbol', nameOf(part(node, 'property')), part(node, 'object'))
        : []
    case 'CallExpression':
      return calls(script, node, { aliases, findScript, note })
  }
  return []
}

/** An error that its file keeps. */
function throwsOf(script: ParsedScript, node: Node | null, { aliases, findScript }: Look): IdentityNote[] {
  const isKept = isKeptObject(script, node, aliases, findScript)
  return node && isKept
    ? [{ kind: 'throws', name: nameOf(node), argument: null, path: null, script, node }]
    : []
}

type MakeNote = (kind: IdentityNote['kind'], name: string, of: Node | null) => IdentityNote[]

function calls(
  script: ParsedScript,
  node: Node,
  { aliases, findScript, note }: Look & { note: MakeNote },
): IdentityNote[] {
  const callee = part(node, 'callee')
  const [given] = parts(node, 'arguments')
  if (aliases.functionsOf(script, callee!).length > 0) return []
  if (callee?.type === 'Identifier') return note('calls', nameOf(callee), callee)
  if (callee?.type !== 'MemberExpression') return []
  const owner = aliases.originsOf(script, part(callee, 'object'))
  const name = memberName(callee)
  const full = `${word(part(callee, 'object'), 'name')}.${name}`
  if (/^(Object|Reflect)\.getPrototypeOf$/.test(full))
    return note('class', 'class by its prototype', given ?? null)
  if (/^(Object|Reflect)\.is(Frozen|Sealed|Extensible)$/.test(full))
    return note('frozen', name!, given ?? null)
  if (full === 'Object.is') {
    const [one = null, other = null] = parts(node, 'arguments')
    return [
      ...(isKeptObject(script, other, aliases, findScript) ? note('compares', nameOf(other), one) : []),
      ...(isKeptObject(script, one, aliases, findScript) ? note('compares', nameOf(one), other) : []),
    ]
  }
  if (name === 'reject') return throwsOf(script, given ?? null, { aliases, findScript })
  const isSearch = /^(includes|indexOf|lastIndexOf|has|get|delete)$/.test(name ?? '')
  const isKept = [...owner].some(([origin, away]) => away === 0 && 'home' in origin)
  if (isSearch && isKept && given) return note('compares', nameOf(part(callee, 'object')), given)
  return name === null || METHODS.has(name) ? [] : note('calls', name, part(callee, 'object'))
}

/** Of all values that can be copied. */
const METHODS = new Set(
  [
    Array,
    String,
    Number,
    BigInt,
    Boolean,
    Map,
    Set,
    Date,
    RegExp,
    Object,
    Promise,
    Uint8Array,
    Object.getPrototypeOf(Uint8Array),
    DataView,
    ArrayBuffer,
    Error,
    Buffer,
  ]
    .flatMap((made) => Object.getOwnPropertyNames((made as { prototype: object }).prototype))
    .concat(['next', 'return']),
)

function firstArgument(origins: Origins): number | null {
  for (const [origin, away] of origins) if ('argument' in origin && away === 0) return origin.argument
  return null
}

function isKeptObject(
  script: ParsedScript,
  node: Node | null,
  aliases: Aliases,
  findScript: FindScript,
): boolean {
  if (node?.type !== 'Identifier') return false
  const origins = moved(aliases.originsOf(script, node), 0)
  return (
    [...origins].some(([origin, away]) => away === 0 && 'home' in origin) &&
    isObject(script, node, findScript)
  )
}

/** Also of another file, and one that all code finds by its name: `Symbol.for('unit')`. */
function isSymbol(script: ParsedScript, node: Node | null, findScript: FindScript): boolean {
  const own = node?.type === 'Identifier' ? variableOf(script, node) : null
  const variable = homeOf(script, own, findScript)?.variable ?? own
  const [definition] = variable?.defs ?? []
  const init = definition?.type === 'Variable' ? part(definition.node as unknown as Node, 'init') : null
  const callee = node?.type === 'CallExpression' ? part(node, 'callee') : part(init, 'callee')
  return (
    word(callee, 'name') === 'Symbol' ||
    (memberName(callee) === 'for' && word(part(callee, 'object'), 'name') === 'Symbol')
  )
}

function isOfLanguage(script: ParsedScript, node: Node | null): boolean {
  const name = word(node, 'name') ?? ''
  return node?.type === 'Identifier' && undeclared(script, name).includes(node) && name in globalThis
}

function nameOf(node: Node | null): string {
  return memberName(node) ?? word(node, 'name') ?? 'a value'
}
