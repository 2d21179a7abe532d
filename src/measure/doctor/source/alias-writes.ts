// Writes to what a function was given, or to what outlives its calls, by another name: of an element that `find` gives, of a row in a loop, of a
// part that a pattern takes, of a default value. Real calls may not have come by such a line.
//
// Each expression has origins, by how many containers they are away: `rows` is 0 away from the argument, `[...rows]` and `{ rows }` are 1
// away, and `[...rows][0]` is 0 away again. A write to what is 0 away changes the origin. The names of a function have the origins of all that
// is ever put into them, in any order; what is more than MAX_AWAY away counts as that.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { memberName, part, parts, word } from './ast.js'
import { CHANGING } from './constants.js'
import { declaredBy, isOfFile, variableOf } from './free-names.js'
import { childrenOf, isFunction, type FunctionNode, type ParsedScript } from './script-functions.js'

const MAX_AWAY = 4
const MAX_ROUNDS = 6

/** Away by origin, such as "argument 1" and "PLANS". */
type Origins = ReadonlyMap<string, number>

export interface AliasWrite {
  readonly node: Node
  /** "argument 1", or the name of the variable of the file. */
  readonly origin: string
  readonly isArgument: boolean
}

interface Analysis {
  readonly script: ParsedScript
  readonly variables: Map<Variable, Map<string, number>>
  readonly results: Map<Node, Map<string, number>>
  /** By their place and origin. */
  readonly writes: Map<string, AliasWrite>
  readonly changed: Around['changed']
  hasGrown: boolean
}

const NONE: Origins = new Map()

export interface Around {
  /** Whether a variable of the file holds an object, which outlives the calls. */
  readonly isKept: (variable: Variable) => boolean
  /** By the name of a function of the user the places of arguments that it changes. */
  readonly changed: ReadonlyMap<string, readonly number[]>
}

export function aliasWrites(
  script: ParsedScript,
  node: FunctionNode,
  { isKept, changed }: Around,
): AliasWrite[] {
  // prettier-ignore
  // prettier-ignore
  const analysis: Analysis = { script, variables: new Map(), results: new Map(), writes: new Map(), changed, hasGrown: false } // prettier-ignore
  for (const variable of keptIn(script, node, isKept)) add(analysis, originsOf(analysis, variable), new Map([[variable.name, 0]])) // prettier-ignore
  node.params.forEach((parameter, index) =>
    bind(analysis, parameter, new Map([[`argument ${index + 1}`, 0]])),
  )
  for (let round = 0; round < MAX_ROUNDS; round++) {
    analysis.hasGrown = false
    visit(analysis, node)
    if (!analysis.hasGrown) break
  }
  return [...analysis.writes.values()]
}

function keptIn(script: ParsedScript, node: Node, isKept: (variable: Variable) => boolean): Set<Variable> {
  const found = new Set<Variable>()
  const look = (each: Node) => {
    const variable = each.type === 'Identifier' ? variableOf(script, each) : null
    if (variable && isOfFile(script, variable) && isKept(variable)) found.add(variable)
    for (const child of childrenOf(each)) look(child)
  }
  look(node)
  return found
}

function originsOf({ variables }: Analysis, variable: Variable): Map<string, number> {
  const known = variables.get(variable) ?? new Map<string, number>()
  variables.set(variable, known)
  return known
}

function add(analysis: Analysis, to: Map<string, number>, from: Origins): void {
  for (const [origin, away] of from) {
    if (away >= (to.get(origin) ?? Infinity)) continue
    to.set(origin, away)
    analysis.hasGrown = true
  }
}

function moved(origins: Origins, by: number): Origins {
  return new Map([...origins].map(([origin, away]) => [origin, Math.min(MAX_AWAY, Math.max(0, away + by))]))
}

function union(...all: Origins[]): Origins {
  const found = new Map<string, number>()
  for (const origins of all)
    for (const [origin, away] of origins) found.set(origin, Math.min(away, found.get(origin) ?? Infinity))
  return found
}

/** Statements and expressions, from the outermost. */
function visit(analysis: Analysis, node: Node): void {
  const value = (each: Node | null) => evaluate(analysis, each)
  if (node.type === 'VariableDeclarator') bind(analysis, part(node, 'id'), value(part(node, 'init')))
  if (/^For(Of|In)Statement$/.test(node.type)) bindLoop(analysis, node)
  if (node.type === 'AssignmentExpression') assign(analysis, part(node, 'left'), value(part(node, 'right')))
  if (node.type === 'UpdateExpression' || word(node, 'operator') === 'delete') noteWrite(analysis, part(node, 'argument'), NONE) // prettier-ignore
  if (node.type === 'CallExpression') evaluate(analysis, node)
  for (const child of childrenOf(node)) visit(analysis, child)
}

function bindLoop(analysis: Analysis, node: Node): void {
  const left = part(node, 'left')
  const each = node.type === 'ForOfStatement' ? moved(evaluate(analysis, part(node, 'right')), -1) : NONE
  if (left?.type === 'VariableDeclaration') bind(analysis, part(parts(left, 'declarations')[0], 'id'), each)
  else if (left) assign(analysis, left, each)
}

/** Names that a pattern declares. */
function bind(analysis: Analysis, pattern: Node | null, origins: Origins): void {
  assign(analysis, pattern, origins)
}

function assign(analysis: Analysis, target: Node | null, origins: Origins): void {
  switch (target?.type) {
    case 'Identifier': {
      const variable = variableOf(analysis.script, target) ?? declared(analysis.script, target)
      if (variable) add(analysis, originsOf(analysis, variable), origins)
      return
    }
    case 'MemberExpression':
      return noteWrite(analysis, target, origins)
    case 'AssignmentPattern':
      return assign(analysis, part(target, 'left'), union(origins, evaluate(analysis, part(target, 'right'))))
    case 'RestElement':
      return assign(analysis, part(target, 'argument'), moved(origins, 1))
    case 'ObjectPattern':
      for (const property of parts(target, 'properties')) assign(analysis, part(property, 'value') ?? property, moved(origins, -1)) // prettier-ignore
      return
    case 'ArrayPattern':
      for (const element of parts(target, 'elements')) assign(analysis, element, moved(origins, -1))
  }
}

/** A parameter without a default has no reference of its own. */
function declared(script: ParsedScript, name: Node): Variable | null {
  const found = script.functions.find(({ node }) => node.params.some((each) => name.start >= each.start && name.end <= each.end)) // prettier-ignore
  return (found && declaredBy(script, found.node).find((each) => each.name === word(name, 'name'))) ?? null
}

/** A write to `a.b.c` changes what `a.b` is, and puts what is written into what `a` holds. */
function noteWrite(analysis: Analysis, target: Node | null, written: Origins): void {
  if (target?.type !== 'MemberExpression') return
  changes(analysis, target, evaluate(analysis, part(target, 'object')))
  putInto(analysis, part(target, 'object'), moved(written, 1))
}

function putInto(analysis: Analysis, node: Node | null, origins: Origins): void {
  if (node?.type === 'MemberExpression') return putInto(analysis, part(node, 'object'), moved(origins, 1))
  const variable = node?.type === 'Identifier' ? variableOf(analysis.script, node) : null
  if (variable && !isOfFile(analysis.script, variable)) add(analysis, originsOf(analysis, variable), origins)
}

function changes({ writes }: Analysis, node: Node, origins: Origins): void {
  for (const [origin, away] of origins)
    if (away === 0) writes.set(`${node.start} ${origin}`, { node, origin, isArgument: origin.startsWith('argument ') }) // prettier-ignore
}

function evaluate(analysis: Analysis, node: Node | null): Origins {
  const value = (each: Node | null) => evaluate(analysis, each)
  switch (node?.type) {
    case 'Identifier': {
      const variable = variableOf(analysis.script, node)
      return variable ? originsOf(analysis, variable) : NONE
    }
    case 'MemberExpression':
      return memberName(node) === 'length' ? NONE : moved(value(part(node, 'object')), -1)
    case 'ConditionalExpression':
      return union(value(part(node, 'consequent')), value(part(node, 'alternate')))
    case 'LogicalExpression':
      return union(value(part(node, 'left')), value(part(node, 'right')))
    case 'AssignmentExpression':
      return union(value(part(node, 'right')), /^(\|\||&&|\?\?)=$/.test(word(node, 'operator') ?? '') ? value(part(node, 'left')) : NONE) // prettier-ignore
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
      return moved(union(...parts(node, 'arguments').map((each) => moved(value(each), -1))), 1)
    case 'CallExpression':
      return call(analysis, node)
  }
  return NONE
}

/** Of an element of a list, or of an object. What is spread is copied by one level. */
function within(analysis: Analysis, node: Node): Origins {
  if (node.type !== 'SpreadElement') return moved(evaluate(analysis, node), 1)
  return moved(moved(evaluate(analysis, part(node, 'argument')), -1), 1)
}

/** They give text, numbers or true and false, or a copy of all. */
const PLAIN =
  /^(join|split|replace|replaceAll|trim\w*|to(String|Fixed|Precision|\w+Case|\w*String|JSON)|char(At|CodeAt)|codePointAt|(last)?[iI]ndexOf|includes|startsWith|endsWith|substr(ing)?|pad(Start|End)|repeat|localeCompare|test|has|every|some|find(Last)?Index|keys|get(Time|Date|Day|Month|FullYear|Hours|Minutes|Seconds|UTC\w+)|parse|stringify|structuredClone|isArray|match|push|unshift|normalize|round|floor|ceil|abs|max|min|sqrt|hypot|pow)$/
/** They give one of the elements. */
const ELEMENT = /^(find|findLast|at|pop|shift|get)$/
/** They give a list of elements. */
const LIST = /^(filter|slice|concat|to(Sorted|Reversed|Spliced)|with|flat|splice|values|entries|sort|reverse|from|fromEntries|assign|freeze)$/ // prettier-ignore

function call(analysis: Analysis, node: Node): Origins {
  const callee = part(node, 'callee')
  const isMethod = callee?.type === 'MemberExpression'
  const owner = isMethod ? evaluate(analysis, part(callee, 'object')) : NONE
  const given = parts(node, 'arguments')
  const values = given.map((each) => (isFunction(each) ? NONE : within(analysis, each)))
  const name = memberName(callee) ?? word(callee, 'name') ?? ''
  if (isMethod && CHANGING.test(name)) {
    changes(analysis, node, owner)
    for (const each of values) putInto(analysis, part(callee, 'object'), each)
  }
  const first = given[0] ? evaluate(analysis, given[0]) : NONE
  if (/^(assign|define\w+|setPrototypeOf)$/.test(name)) changes(analysis, node, first)
  if (!isMethod) for (const index of analysis.changed.get(name) ?? []) if (given[index]) changes(analysis, node, evaluate(analysis, given[index])) // prettier-ignore
  const callbacks = given.filter(isFunction)
  for (const callback of callbacks) bindCallback(analysis, callback, { name, owner, first, second: given[1] ? evaluate(analysis, given[1]) : NONE }) // prettier-ignore
  if (PLAIN.test(name)) return NONE
  if (/^(map|flatMap)$/.test(name))
    return moved(union(...callbacks.map((each) => resultOf(analysis, each))), 1)
  if (/^reduce(Right)?$/.test(name)) return union(given[1] ? evaluate(analysis, given[1]) : moved(owner, -1), ...callbacks.map((each) => resultOf(analysis, each))) // prettier-ignore
  if (ELEMENT.test(name)) return moved(owner, -1)
  if (/^(sort|reverse|fill|assign|freeze)$/.test(name)) return union(owner, first)
  if (LIST.test(name)) return moved(moved(union(owner, ...values.map((each) => moved(each, -1))), -1), 1)
  return union(...values.map((each) => moved(each, -1))) // somebody else's: it may give what it was given
}

interface Caller {
  readonly name: string
  readonly owner: Origins
  readonly first: Origins
  readonly second: Origins
}

function bindCallback(
  analysis: Analysis,
  callback: FunctionNode,
  { name, owner, first, second }: Caller,
): void {
  const [one = null, two = null, three = null] = callback.params
  const element = moved(name === 'from' ? first : owner, -1)
  if (/^reduce(Right)?$/.test(name)) {
    if (one) assign(analysis, one, union(second, second === NONE ? element : NONE, resultOf(analysis, callback))) // prettier-ignore
    if (two) assign(analysis, two, element)
    return
  }
  if (one) assign(analysis, one, element)
  if (two && /^(to)?[sS]ort(ed)?$/.test(name)) assign(analysis, two, element)
  if (three) assign(analysis, three, owner)
}

/** All that a function may give. */
function resultOf(analysis: Analysis, node: FunctionNode): Origins {
  const { results } = analysis
  const known = results.get(node) ?? new Map<string, number>()
  results.set(node, known)
  if (node.body.type !== 'BlockStatement') add(analysis, known, evaluate(analysis, node.body))
  else for (const value of returned(node.body)) add(analysis, known, evaluate(analysis, value))
  return known
}

function returned(node: Node): Node[] {
  if (isFunction(node)) return []
  const own = node.type === 'ReturnStatement' ? part(node, 'argument') : null
  return [...(own ? [own] : []), ...childrenOf(node).flatMap(returned)]
}
