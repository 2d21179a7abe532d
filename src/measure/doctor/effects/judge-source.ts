// Whether a function could run in another thread, as far as its source tells. What it cannot tell counts as no.
//
// A function may use its arguments, constants, functions that are like it, and parts of the language without state. All that it reaches is
// followed, through the files of the user.

import { isBuiltin } from 'node:module'
import type { Node } from 'acorn'
import type { Reference, Variable } from 'eslint-scope'
import { findAliases, type Aliases } from './alias-writes.js'
import { identityNotes, type IdentityNote } from './identity-notes.js'
import { writtenElsewhere, type ReadByIt } from './written-elsewhere.js'
import { functionsOf, homeOf, type HomeVariable } from './definitions.js'
import { thisWrites } from './this-writes.js'
import { memberName, part, parts, word } from '../source/ast.js'
import { enumCallOf } from '../source/enums.js'
import { freeReferences, isOfFile, topReferences, undeclared } from '../source/free-names.js'
import { parentOf } from '../source/parents.js'
import { isFilledAtStart, setUpOf } from '../source/set-up.js'
import {
  isChanged,
  isChangedLater,
  isMade,
  isChangedAt,
  isConstant,
  isUsedAsStore,
  isWithinFunction,
  keepsStatics,
} from '../source/constants.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import { importOf, isOfUser, type FindScript } from '../source/imports.js'
import { isReadValue } from '../source/read-value.js'
import { findExport, type FoundExport } from '../source/re-exports.js'

export interface SourceJudgement {
  verdict: 'may move' | 'move after change' | 'cannot' | 'waits'
  reasons: string[]
  /** Nothing but packages that it uses speaks against it. */
  isOnlyPackages?: boolean
  /** The functions and classes of the user that it consists of, itself first. */
  reached: Reached[]
  notes: SourceNote[]
  /** Where it matters which object a value is. */
  identities: IdentityNote[]
}

export interface Reached {
  readonly script: ParsedScript
  readonly node: Node
}

/** What the source shows, and real calls have to decide. */
export interface SourceNote extends Reached {
  readonly kind: 'time' | 'chance' | 'print' | 'made' | 'writes' | 'assert' | 'read'
  /** Such as "Date.now"; of `made` the variable that is made when its file is loaded, of `read` that one and what it is read from; of `writes` the argument. */
  readonly name: string
  /** Of `made` the package that makes it. */
  readonly from?: string
}

/** They hold no state, and give the same everywhere. Of Math and Date see `randomOrTime`. */
const PURE_GLOBALS = new Set(
  (
    'AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean Buffer DataView Date DOMException Error EvalError Float32Array Float64Array ' +
    'Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError Reflect RegExp Set ' +
    'String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array ' +
    'Uint8ClampedArray WeakMap WeakSet atob btoa console decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN ' +
    'parseFloat parseInt structuredClone undefined arguments'
  ).split(' '),
)
const WAITING_GLOBALS = new Set(['fetch', 'setTimeout', 'setImmediate', 'setInterval'])
/** Modules of Node that compute. */
const PURE_MODULES =
  /^(node:)?(buffer|crypto|path|querystring|string_decoder|url|util|zlib|assert|assert\/strict|path\/posix)$/
/** Of fs, which change nothing. */
const READS = /^(readFile|readdir|exists|stat|lstat|realpath|readlink)Sync$/
const WAITING_MODULES = /^(node:)?(dgram|dns|fs|http|https|http2|net|readline|timers|tls)(\/promises)?$/

interface Walk {
  readonly findScript: FindScript
  readonly seen: Set<Node>
  readonly reached: Reached[]
  readonly notes: SourceNote[]
  /** The variable whose value is made when its file is loaded. */
  loading: string | null
  /** Variables of files that it uses. */
  readonly homes: Map<Variable, HomeVariable>
}

const newWalk = (findScript: FindScript): Walk => ({
  findScript,
  seen: new Set(),
  reached: [],
  notes: [],
  homes: new Map(),
  loading: null,
})

export function judgeSource(
  script: ParsedScript,
  node: FunctionNode,
  findScript: FindScript,
): SourceJudgement {
  const walk = newWalk(findScript)
  const problems = problemsOf(script, node, walk)
  const direct = judgeProblems(node, problems)
  if (direct.verdict === 'cannot')
    return { ...direct, reached: walk.reached, notes: walk.notes, identities: [] } // what follows takes longer
  const aliases = findAliases(script, node, { findScript })
  const judged = judgeProblems(node, [
    ...problems,
    ...aliasProblems(aliases, walk),
    ...problemsElsewhere(aliases, walk),
  ])
  const identities =
    judged.verdict === 'cannot'
      ? []
      : identityNotes(script, node, {
          aliases: findAliases(script, node, { findScript, isSure: true }),
          findScript,
        })
  return { ...judged, reached: walk.reached, notes: walk.notes, identities }
}

function judgeProblems(
  node: FunctionNode,
  problems: readonly Problem[],
): Omit<SourceJudgement, 'reached' | 'notes' | 'identities'> {
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

/** What it and the functions that it calls change by other names. */
function aliasProblems({ writes, isCut }: Aliases, { notes }: Walk): Problem[] {
  if (isCut) return [cannot('it calls more functions of the app than doctor follows')]
  return writes.flatMap(({ origin, name, script, node }): Problem[] => {
    if (!('argument' in origin))
      return [cannot(`it changes \`${name}\` by another name, which outlives the call`)]
    notes.push({ kind: 'writes', name, script, node })
    return []
  })
}

/** What others change that it uses. */
function problemsElsewhere({ reached }: Aliases, { homes, findScript }: Walk): Problem[] {
  const files = new Set([...reached.values()].filter(({ isModule }) => !isModule))
  const all: ReadByIt[] = [...homes.values(), ...[...files].map((script) => ({ script, variable: null }))]
  return all.flatMap((home): Problem[] => {
    const write = writtenElsewhere(home, reached, findScript)
    if (!write) return []
    const line = write.script.placeOf(write.node.start).line + 1
    const file = findScript.fileOf?.(write.script)
    const what = home.variable === null ? 'a function that its file exports' : `\`${home.variable.name}\``
    return [
      cannot(
        `it uses ${what}, which ${file === undefined ? 'another function' : `${file}:${line}`} changes while the app runs`,
      ),
    ]
  })
}

interface Problem {
  kind: 'cannot' | 'waits' | 'change' | 'package'
  reason: string
  /** The package. */
  module?: string
}

const cannot = (reason: string): Problem => ({ kind: 'cannot', reason })

function problemsOf(script: ParsedScript, node: Node, walk: Walk): Problem[] {
  if (walk.seen.has(node)) return []
  walk.seen.add(node)
  walk.reached.push({ script, node })
  const found: Problem[] = []
  const written = thisWrites(node)
  if (written !== null) found.push(cannot(`it changes \`this.${written}\`, which outlives the call`))
  else if (usesThis(node))
    found.push({ kind: 'change', reason: 'it uses `this`: pass the fields that it needs instead' })
  if (usesDynamicCode(node)) found.push(cannot('it loads code while it runs (import or require)'))
  const { loading } = walk
  walk.loading = null // it may be called later, too
  for (const reference of freeReferences(script, node)) found.push(...ofReference(script, reference, walk))
  walk.loading = loading
  return found
}

function ofReference(script: ParsedScript, reference: Reference, walk: Walk): Problem[] {
  const identifier = reference.identifier as unknown as Node
  const name = word(identifier, 'name') ?? ''
  const variable = reference.resolved
  if (name === 'exports' && !variable?.defs.length) return ofOwnExport(script, identifier, walk)
  if (!variable || variable.defs.length === 0) return ofGlobal(script, identifier, { name, walk })
  if (reference.isWrite() && !reference.init)
    return [cannot(`it changes \`${name}\`, which outlives the call`)]
  const home = isOfFile(script, variable) ? variable : homeOf(script, variable, walk.findScript)?.variable
  if (!home) return [cannot(`it uses \`${name}\` of the function around it`)]
  return ofVariable(script, home, identifier, walk)
}

interface GlobalUse {
  readonly name: string
  readonly walk: Walk
}

function ofGlobal(script: ParsedScript, identifier: Node, { name, walk }: GlobalUse): Problem[] {
  if (WAITING_GLOBALS.has(name)) return [{ kind: 'waits', reason: `it waits (${name})` }]
  const parent = parentOf(script, identifier)
  const member = part(parent, 'object') === identifier ? memberName(parent) : null
  const { loading } = walk
  if (loading !== null && /^__(dir|file)name$/.test(name)) return []
  const note = (kind: SourceNote['kind'], what: string) => (
    walk.notes.push({ kind, name: what, script, node: identifier }),
    []
  )
  if (loading !== null && name === 'process' && member === 'env')
    return note('read', `\`${loading}\`, or process.env, of which it is made`)
  if (isChangedAt(script, identifier) && !LOOKS_CHANGING.test(`${name}.${member}`))
    return [cannot(`it changes \`${name}\`, which is of this process`)]
  if (name === 'console') return note('print', `console.${member ?? 'log'}`)
  const isRandom =
    name === 'Math' && member !== null
      ? member === 'random'
      : name === 'Math' && parent?.type !== 'MemberExpression'
  if (isRandom) return note('chance', 'Math.random')
  if (name === 'crypto' && member !== null)
    return CHANCE.test(member) ? note('chance', `crypto.${member}`) : []
  const isNow =
    name === 'Date' &&
    (member === 'now' ||
      parent?.type === 'VariableDeclarator' ||
      (parent?.type === 'NewExpression' && parts(parent, 'arguments').length === 0) ||
      (parent?.type === 'CallExpression' && part(parent, 'callee') === identifier))
  if (isNow) return note('time', member === 'now' ? 'Date.now' : 'Date')
  if (name === 'performance' && member === 'now') return note('time', 'performance.now')
  if (
    name === 'performance' ||
    name === 'crypto' ||
    name === 'process' ||
    name === 'globalThis' ||
    !PURE_GLOBALS.has(name)
  )
    return [cannot(`it uses \`${name}\`, which is of this process`)]
  return []
}

/** Functions of the language with names of such that change what they belong to. */
const LOOKS_CHANGING = /^(Reflect\.(set|deleteProperty)|Atomics\.\w+|console\.clear)$/
const CHANCE = /^(random|getRandomValues$|generate)/

/** TypeScript writes `exports.K` for a constant K of the same file that is exported. */
function ofOwnExport(script: ParsedScript, identifier: Node, walk: Walk): Problem[] {
  const member = memberName(parentOf(script, identifier))
  const isChanging =
    member === null || undeclared(script, 'exports').some((each) => isChangedWithin(script, each, member))
  const target = isChanging ? null : findExport(script, member, walk.findScript)
  return target
    ? ofExport(target, { name: `exports.${member}`, walk })
    : [cannot(`it uses \`exports\`, which is of this process`)]
}

/** After the file is loaded, or what it holds. */
function isChangedWithin(script: ParsedScript, identifier: Node, member: string): boolean {
  const access = parentOf(script, identifier)
  if (memberName(access) !== member) return false
  const outer = parentOf(script, access!)
  const isStart = outer?.type === 'AssignmentExpression' && part(outer, 'left') === access
  return isChangedAt(script, identifier) && (!isStart || isWithinFunction(script, identifier))
}

interface ExportUse {
  readonly name: string
  readonly walk: Walk
}

function ofExport({ script, node, variable }: FoundExport, { name, walk }: ExportUse): Problem[] {
  if (variable) return ofVariable(script, variable, node, walk)
  if (isFunction(node)) return problemsOf(script, node, walk)
  return isConstant(node) && !isNamed(node)
    ? []
    : [cannot(`it uses \`${name}\`, of which doctor cannot tell what it is`)]
}

/** A name in it would have to be followed. */
function isNamed(node: Node): boolean {
  return node.type === 'Identifier' || childNodes(node).some(isNamed)
}

/** A statement of a file's top level, such as one that sets up a package: what speaks against making it again elsewhere. */
export function judgeStatement(script: ParsedScript, node: Node, findScript: FindScript): string[] {
  const walk = newWalk(findScript)
  const found = namesIn(script, node)
    .filter(({ identifier }) => !isChangedAt(script, identifier as unknown as Node)) // that is what it is for
    .flatMap((reference) => ofReference(script, reference, walk))
  const inner = functionsIn(node).flatMap((each) => problemsOf(script, each, walk))
  const all = [...found, ...inner].filter(({ kind }) => kind !== 'package').map(({ reason }) => reason)
  return usesDynamicCode(node) ? [...all, 'it loads code'] : all
}

function functionsIn(node: Node): Node[] {
  return isFunction(node) ? [node] : childNodes(node).flatMap(functionsIn)
}

function isWithinNode({ start }: Node, outer: Node): boolean {
  return start >= outer.start && start < outer.end
}

/** @param use where it is used */
function ofVariable(script: ParsedScript, variable: Variable, use: Node, walk: Walk): Problem[] {
  const { name } = variable
  const [definition] = variable.defs
  const node = definition!.node as unknown as Node
  const imported = importOf(definition as never, variable)
  if (imported) return ofImport(script, { ...imported, use, local: name, variable }, walk)
  if (enumCallOf(script, variable)) return []
  walk.homes.set(variable, { script, variable })
  const isWritten = variable.references.some((each) => each.isWrite() && !each.init)
  if (isWritten) return [cannot(`it uses \`${name}\`, which changes while the app runs`)]
  const init = withoutNaming(part(node, 'init'))
  const isCode =
    /^(FunctionName|ClassName)$/.test(definition!.type) || (init && (isFunction(init) || isClass(init)))
  const code = init ?? node
  if (isCode && (isUsedAsStore(script, variable) || keepsStatics(code)))
    return [cannot(`it uses \`${name}\`, in whose properties something is kept from call to call`)]
  if (isCode) return problemsOf(script, code, walk)
  if (definition!.type !== 'Variable')
    return [cannot(`it uses \`${name}\`, of which doctor cannot tell what it is`)]
  return ofConstant(script, variable, init, walk)
}

const isClass = ({ type }: Node) => type === 'ClassExpression'

/** esbuild, and so tsx, writes `const f = __name(() => ..., "f")`. */
function withoutNaming(init: Node | null): Node | null {
  const isNaming = init?.type === 'CallExpression' && word(part(init, 'callee'), 'name') === '__name'
  return isNaming ? (parts(init, 'arguments')[0] ?? init) : init
}

function ofConstant(script: ParsedScript, variable: Variable, init: Node | null, walk: Walk): Problem[] {
  const { name } = variable
  const keeps = `it uses \`${name}\`, which may keep something from call to call`
  const isPlain = init !== null && isConstant(init)
  const isChanging = isChangedLater(
    script,
    variable,
    isPlain || (init && isReadValue(script, init)) ? init : null,
  )
  const isRunning = functionsOf(script, part(init, 'callee'), walk.findScript).some(
    (each) => each.node.generator,
  )
  if (!init || isRunning || isChanging || !(isPlain || isMade(init) || isFilledAtStart(script, variable)))
    return [cannot(keeps)]
  if (walk.seen.has(init)) return []
  walk.seen.add(init)
  const found: Problem[] = []
  const visit = (node: Node) => {
    if (isFunction(node))
      return void found.push(...problemsOf(script, node, walk).filter(({ kind }) => kind !== 'change')) // its object comes with it
    for (const child of childNodes(node)) visit(child)
  }
  const pieces = [init, ...setUpOf(script, variable)]
  pieces.forEach(visit)
  const before = walk.notes.length
  const { loading } = walk
  walk.loading = name
  for (const piece of pieces)
    found.push(
      ...namesIn(script, piece)
        .filter(({ resolved }) => resolved !== variable)
        .flatMap((reference) => ofReference(script, reference, walk)),
    )
  walk.loading = loading
  if (!isRenamed(variable, init))
    walk.notes.splice(
      before,
      Infinity,
      ...walk.notes.slice(before).filter(({ kind }) => /^(made|read)$/.test(kind)),
    )
  const from = found.flatMap(({ kind, module }) => (kind === 'package' && module ? [module] : []))[0]
  if (!isPlain && from) walk.notes.push({ kind: 'made', name, from, script, node: init })
  return found
}

/** `const now = Date.now` and `const { random } = Math`: it asks when it is called, and everything else once. */
function isRenamed({ name, defs: [definition] }: Variable, init: Node): boolean {
  if (init.type === 'MemberExpression') return true
  const pattern = part(definition!.node as unknown as Node, 'id')
  const property = parts(pattern, 'properties').find((each) => word(part(each, 'value'), 'name') === name)
  return /^(random\w*|now)$/.test(word(part(property, 'key'), 'name') ?? '')
}

/** References in a piece of a file's top level, outside of functions. */
function namesIn(script: ParsedScript, piece: Node): Reference[] {
  const isInner = ({ resolved }: Reference) =>
    resolved?.defs.some(({ name }) => isWithinNode(name as unknown as Node, piece))
  return topReferences(script).filter(
    (each) => isWithinNode(each.identifier as unknown as Node, piece) && !isInner(each),
  )
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
  const isWhole = exported === '*' || (exported === 'default' && isBuiltin(module))
  const member = part(parent, 'object') === use ? memberName(parent) : 'default'
  const name = isWhole ? member : exported
  if (/^(node:)?crypto$/.test(module) && isRandom(name)) {
    if (name === 'default') return [cannot('it uses all of crypto, and doctor cannot tell what of it')]
    walk.notes.push({ kind: 'chance', name: `crypto.${name}`, script, node: use })
    return []
  }
  if (/^(node:)?perf_hooks$/.test(module)) return ofPerformance(script, use, { name, isWhole, walk })
  if (/^(node:)?assert(\/strict)?$/.test(module) && !throwsOwn(script, use))
    walk.notes.push({ kind: 'assert', name: 'assert', script, node: use })
  if (PURE_MODULES.test(module)) return []
  if (/^(node:)?fs$/.test(module) && name?.endsWith('Sync'))
    return ofFiles(script, isWhole ? parent! : use, { name, walk })
  if (WAITING_MODULES.test(module)) return [{ kind: 'waits', reason: `it waits (${module})` }]
  const other = isBuiltin(module) ? null : walk.findScript(script, module)
  if (!isOfUser(module) && !other) return ofPackage(module)
  if (module.endsWith('.json') && !isChanged(script, variable, null)) {
    walk.homes.set(variable, { script, variable })
    return []
  }
  const target = other && name !== null ? findExport(other, name, walk.findScript) : null
  if (!target) return [cannot(`it uses \`${local}\` of ${module}, of which doctor cannot tell what it is`)]
  if (isChanged(script, variable, null))
    return [cannot(`it uses \`${local}\` of ${module}, which changes while the app runs`)]
  return ofExport(target, { name: local, walk })
}

/** All but the time is of the thread that asks: its marks, and how busy its event loop is. */
function ofPerformance(
  script: ParsedScript,
  use: Node,
  { name, isWhole, walk }: { name: string | null; isWhole: boolean; walk: Walk },
): Problem[] {
  const above = parentOf(script, use)
  const holder = isWhole ? above! : use // of `perf_hooks.performance.now` and of `performance.now`
  const member = memberName(parentOf(script, holder))
  const isTime = name === 'performance' && /^(now|timeOrigin)$/.test(member ?? '')
  if (!isTime)
    return [cannot(`it uses \`${member ?? name ?? 'perf_hooks'}\` of perf_hooks, which is of this thread`)]
  walk.notes.push({ kind: 'time', name: 'performance.now', script, node: use })
  return []
}

/** `assert(isOpen, new Closed())` throws that error. */
function throwsOwn(script: ParsedScript, use: Node): boolean {
  const parent = parentOf(script, use)
  const callee = parent?.type === 'MemberExpression' ? parent : use
  const call = parentOf(script, callee)
  return (
    part(call, 'callee') === callee &&
    parts(call, 'arguments')
      .slice(1)
      .some(({ type }) => type === 'NewExpression')
  )
}

/** A value that is read when its file is loaded is read by each worker, too. */
function ofFiles(script: ParsedScript, node: Node, { name, walk }: GlobalUse): Problem[] {
  const { loading, notes } = walk
  const isCalled = part(parentOf(script, node), 'callee') === node
  if (loading === null || !isCalled || !READS.test(name))
    return [{ kind: 'waits', reason: `it waits for files (${name}): the async version waits elsewhere` }]
  notes.push({ kind: 'read', name: `\`${loading}\`, or the file of which it is made`, script, node })
  return []
}

/** Of `crypto`; also where all of it is given away. */
function isRandom(name: string | null): boolean {
  return name === null || name === 'default' || CHANCE.test(name)
}

/** What it keeps cannot be seen from here. */
function ofPackage(module: string): Problem[] {
  if (isBuiltin(module)) return [cannot(`it uses ${module}`)]
  return [
    {
      kind: 'package',
      module,
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
    return childNodes(each).some(visit)
  }
  return !/^Class/.test(node.type) && visit(node)
}

function usesDynamicCode(node: Node): boolean {
  const isLoading = (each: Node) =>
    each.type === 'ImportExpression' ||
    each.type === 'MetaProperty' ||
    (each.type === 'CallExpression' && ['require', 'eval'].includes(word(part(each, 'callee'), 'name') ?? ''))
  const visit = (each: Node): boolean => isLoading(each) || childNodes(each).some(visit)
  return visit(node)
}

/** What is called without a call, such as a getter, could be no task. */
export function isAccessor(path: readonly Node[]): boolean {
  const parent = path.at(-2)
  return /^(get|set|constructor)$/.test(word(parent, 'kind') ?? '')
}
