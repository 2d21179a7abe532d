// Whether a function could run in another thread, as far as its source tells. What it cannot tell counts as no.
//
// A function may use its arguments, constants, functions that are like it, and parts of the language without state. All that it reaches is
// followed, through the files of the user.

import type { Node } from 'acorn'
import type { Reference, Variable } from 'eslint-scope'
import { flag, memberName, part, parts, word } from './ast.js'
import { freeReferences, isOfFile } from './free-names.js'
import { parentOf } from './parents.js'
import { isConstant, isChanged } from './constants.js'
import { childrenOf, isFunction, type FunctionNode, type ParsedScript } from './script-functions.js'
import { exportedNode, importOf } from './imports.js'

export interface SourceJudgement {
  verdict: 'may move' | 'move after change' | 'cannot' | 'waits'
  reasons: string[]
  /** Nothing but packages that it uses speaks against it. */
  isOnlyPackages?: boolean
}

/** A file of the user by the path that another one imports it by. */
export type FindScript = (from: ParsedScript, specifier: string) => ParsedScript | null

/** They hold no state, and give the same everywhere. Of Math and Date see `randomOrTime`. */
const PURE_GLOBALS = new Set(
  (
    'Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean Buffer DataView Date Error EvalError Float32Array Float64Array ' +
    'Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError Reflect RegExp Set ' +
    'String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array ' +
    'Uint8ClampedArray WeakMap WeakSet atob btoa console decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN ' +
    'parseFloat parseInt structuredClone undefined arguments'
  ).split(' '),
)
const WAITING_GLOBALS = new Set(['fetch', 'setTimeout', 'setImmediate', 'setInterval'])
/** Modules of Node that compute. */
const PURE_MODULES = /^(node:)?(buffer|crypto|path|querystring|string_decoder|url|util|zlib|assert)$/
const WAITING_MODULES = /^(node:)?(dgram|dns|fs|http|https|http2|net|readline|timers|tls)(\/promises)?$/

interface Walk {
  readonly findScript: FindScript
  readonly seen: Set<Node>
}

export function judgeSource(
  script: ParsedScript,
  node: FunctionNode,
  findScript: FindScript,
): SourceJudgement {
  const problems = problemsOf(script, node, { findScript, seen: new Set() })
  const waiting = problems.filter(({ kind }) => kind === 'waits')
  const hard = problems.filter(({ kind }) => kind === 'cannot')
  const reasons = (found: readonly Problem[]) => [...new Set(found.map(({ reason }) => reason))].slice(0, 3)
  if (node.generator) return { verdict: 'cannot', reasons: ['it is a generator, which is run in parts'] }
  if (hard.length > 0) return { verdict: 'cannot', reasons: reasons(hard) }
  if (waiting.length > 0) return { verdict: node.async ? 'waits' : 'cannot', reasons: reasons(waiting) }
  const isOnlyPackages = problems.every(({ kind }) => kind === 'package')
  if (problems.length > 0) return { verdict: 'move after change', reasons: reasons(problems), isOnlyPackages }
  return { verdict: 'may move', reasons: [] }
}

interface Problem {
  kind: 'cannot' | 'waits' | 'change' | 'package'
  reason: string
}

const cannot = (reason: string): Problem => ({ kind: 'cannot', reason })

function problemsOf(script: ParsedScript, node: Node, walk: Walk): Problem[] {
  if (walk.seen.has(node)) return []
  walk.seen.add(node)
  const found: Problem[] = []
  if (usesThis(node))
    found.push({ kind: 'change', reason: 'it uses `this`: pass the fields that it needs instead' })
  if (usesDynamicCode(node)) found.push(cannot('it loads code while it runs (import or require)'))
  for (const reference of freeReferences(script, node)) found.push(...ofReference(script, reference, walk))
  return found
}

function ofReference(script: ParsedScript, reference: Reference, walk: Walk): Problem[] {
  const identifier = reference.identifier as unknown as Node
  const name = word(identifier, 'name') ?? ''
  const variable = reference.resolved
  if (!variable || variable.defs.length === 0) return ofGlobal(script, identifier, name)
  if (reference.isWrite() && !reference.init)
    return [cannot(`it changes \`${name}\`, which outlives the call`)]
  if (!isOfFile(script, variable)) return [cannot(`it uses \`${name}\` of the function around it`)]
  return ofVariable(script, variable, identifier, walk)
}

function ofGlobal(script: ParsedScript, identifier: Node, name: string): Problem[] {
  if (WAITING_GLOBALS.has(name)) return [{ kind: 'waits', reason: `it waits (${name})` }]
  const parent = parentOf(script, identifier)
  const member = part(parent, 'object') === identifier ? memberName(parent) : null
  const isRandom =
    name === 'Math' && member !== null
      ? member === 'random'
      : name === 'Math' && parent?.type !== 'MemberExpression'
  if (isRandom) return [cannot('it is random (Math.random): its results differ for the same arguments')]
  const isNow = name === 'Date' && (member === 'now' || (parent?.type === 'NewExpression' && parts(parent, 'arguments').length === 0)) // prettier-ignore
  if (isNow || name === 'performance')
    return [cannot('it depends on the time: its results differ for the same arguments')]
  if (name === 'crypto' || name === 'process' || name === 'globalThis' || !PURE_GLOBALS.has(name))
    return [cannot(`it uses \`${name}\`, which is of this process`)]
  return []
}

/** @param use where it is used */
function ofVariable(script: ParsedScript, variable: Variable, use: Node, walk: Walk): Problem[] {
  const { name } = variable
  const [definition] = variable.defs
  const node = definition!.node as unknown as Node
  const imported = importOf(definition as never, variable)
  if (imported) return ofImport(script, { ...imported, use, local: name, variable }, walk)
  const isWritten = variable.references.some((each) => each.isWrite() && !each.init)
  if (isWritten) return [cannot(`it uses \`${name}\`, which changes while the app runs`)]
  if (definition!.type === 'FunctionName' || definition!.type === 'ClassName')
    return problemsOf(script, node, walk)
  const init = withoutNaming(part(node, 'init'))
  if (init && isFunction(init)) return problemsOf(script, init, walk)
  if (definition!.type !== 'Variable' || part(node, 'id')?.type !== 'Identifier')
    return [cannot(`it uses \`${name}\`, of which doctor cannot tell what it is`)]
  return ofConstant(script, variable, init, walk)
}

/** esbuild, and so tsx, writes `const f = __name(() => ..., "f")`. */
function withoutNaming(init: Node | null): Node | null {
  const isNaming = init?.type === 'CallExpression' && word(part(init, 'callee'), 'name') === '__name'
  return isNaming ? (parts(init, 'arguments')[0] ?? init) : init
}

function ofConstant(script: ParsedScript, variable: Variable, init: Node | null, walk: Walk): Problem[] {
  const { name } = variable
  const keeps = `it uses \`${name}\`, which may keep something from call to call`
  if (!init || !isConstant(init) || isChanged(script, variable, init)) return [cannot(keeps)]
  if (walk.seen.has(init)) return []
  walk.seen.add(init)
  const found: Problem[] = []
  const visit = (node: Node) => {
    if (isFunction(node)) return void found.push(...problemsOf(script, node, walk))
    for (const child of childrenOf(node)) visit(child)
  }
  visit(init)
  return [...found, ...namesIn(init, variable).flatMap((reference) => ofReference(script, reference, walk))]
}

/** References in the value of a constant, outside of functions. */
function namesIn(init: Node, variable: Variable): Reference[] {
  const within = ({ identifier }: Reference) => {
    const { start } = identifier as unknown as Node
    return start >= init.start && start < init.end
  }
  return variable.scope.references.filter(within)
}

interface ImportUse {
  module: string
  /** `*`: the whole module. */
  exported: string
  use: Node
  local: string
  variable: Variable
}

function ofImport(
  script: ParsedScript,
  { module, exported, use, local, variable }: ImportUse,
  walk: Walk,
): Problem[] {
  const parent = parentOf(script, use)
  const isWhole = exported === '*'
  const name = isWhole && part(parent, 'object') === use ? memberName(parent) : exported
  if (/^(node:)?crypto$/.test(module) && /^random|^get?RandomValues$|^generate/i.test(name ?? 'random'))
    return [cannot('it is random (crypto): its results differ for the same arguments')]
  if (PURE_MODULES.test(module)) return []
  if (/^(node:)?fs$/.test(module) && name?.endsWith('Sync'))
    return [{ kind: 'waits', reason: `it waits for files (${name}): the async version waits elsewhere` }]
  if (WAITING_MODULES.test(module)) return [{ kind: 'waits', reason: `it waits (${module})` }]
  if (!/^(\.|\/|file:)/.test(module)) return ofPackage(module)
  const other = walk.findScript(script, module)
  const target = other && name !== null ? exportedNode(other, name) : null
  if (!other || !target)
    return [cannot(`it uses \`${local}\` of ${module}, of which doctor cannot tell what it is`)]
  if (isChanged(script, variable, null))
    return [cannot(`it uses \`${local}\` of ${module}, which changes while the app runs`)]
  if (target.variable) return ofVariable(other, target.variable, target.node, walk)
  return isFunction(target.node) ? problemsOf(other, target.node, walk) : [cannot(`it uses \`${local}\` of ${module}, of which doctor cannot tell what it is`)] // prettier-ignore
}

/** What it keeps cannot be seen from here. */
function ofPackage(module: string): Problem[] {
  if (module.startsWith('node:')) return [cannot(`it uses ${module}`)]
  return [
    {
      kind: 'package',
      reason: `it uses the package ${module}: make sure that it keeps nothing between calls`,
    },
  ]
}

/** Of the function itself; arrow functions within have the same one. */
function usesThis(node: Node): boolean {
  const visit = (each: Node): boolean => {
    if (each.type === 'ThisExpression' || each.type === 'Super') return true
    if (each !== node && isFunction(each) && each.type !== 'ArrowFunctionExpression') return false
    if (each !== node && /^Class/.test(each.type)) return false
    return childrenOf(each).some(visit)
  }
  return !/^Class/.test(node.type) && visit(node)
}

function usesDynamicCode(node: Node): boolean {
  const isLoading = (each: Node) =>
    each.type === 'ImportExpression' ||
    each.type === 'MetaProperty' ||
    (each.type === 'CallExpression' && ['require', 'eval'].includes(word(part(each, 'callee'), 'name') ?? ''))
  const visit = (each: Node): boolean => isLoading(each) || childrenOf(each).some(visit)
  return visit(node)
}

/** A method that does not use `this` could be a function, and is none that a task module could export. */
export function isMethod(path: readonly Node[]): boolean {
  const [parent, node] = path.slice(-2)
  if (parent?.type === 'MethodDefinition' || parent?.type === 'PropertyDefinition') return true
  return parent?.type === 'Property' && (flag(parent, 'method') || part(parent, 'value') === node)
}
