// The edits of an app whose function gives a promise from now on: `await` at each call, `async` on the functions around it, up to where a
// promise is understood.
//
//   call in an async function                    await
//   call in a handler that its framework awaits  await, async
//   call in a callback of map                    await Promise.all(...) around map, and so on from there
//   call in a function of the user               await, async, and so on at each of its calls
//   anything else                                Refused, with its place

import type { Node } from 'acorn'
import { isAwaited } from '../conditions/judge-callers.js'
import { isTaken, usedAround } from '../conditions/interleaving.js'
import { functionsOf } from '../effects/definitions.js'
import { flag, memberName, part, parts, rootOf, word } from '../source/ast.js'
import { isChangedAt } from '../source/constants.js'
import { freeReferences } from '../source/free-names.js'
import { heldName } from '../source/function-name.js'
import { parentOf } from '../source/parents.js'
import { isFunction, nodesOf, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import { loadOf, type AppFiles } from './app-files.js'
import type { Edits } from './edits.js'
import { isNestRoute, isOfFastifyCall, isRouteObject, waitingOf } from './handlers.js'
import { Refused, type ChangePlace } from './refused.js'
import { returnReply } from './return-reply.js'
import { isExport, isMethod, usesOf, type Use, type UsedFunction } from './uses.js'

/** Functions that become asynchronous one after the other. */
const MAX_STEPS = 4
const OF_LANGUAGE = /^(toJSON|toString|valueOf|next|then|inspect|toLocaleString)$/
const AT_ONCE: Readonly<Record<string, string>> = {
  sort: 'a sort callback',
  toSorted: 'a sort callback',
  filter: 'a callback of filter',
  forEach: 'a callback of forEach',
  reduce: 'a callback of reduce',
  flatMap: 'a callback of flatMap',
  some: 'a callback of some',
  every: 'a callback of every',
  find: 'a callback of find',
  replace: 'a callback of replace',
  replaceAll: 'a callback of replaceAll',
  on: 'an event listener',
  once: 'an event listener',
  addListener: 'an event listener',
  addEventListener: 'an event listener',
  prependListener: 'an event listener',
}

export interface ChangeNote extends ChangePlace {
  readonly text: string
}

export interface Changing {
  readonly app: AppFiles
  readonly edits: Edits
  readonly notes: ChangeNote[]
  /** Calls with their `await`, and functions with their `async`. */
  readonly awaited: Set<Node>
  readonly made: Set<Node>
  /** Files with a handler whose errors have to be passed on. */
  readonly passing: Set<ParsedScript>
  /** Handlers that give their reply back. */
  readonly returning: Set<Node>
  /** Calls side by side would open many files at once. */
  opensFiles: boolean
}

interface Called extends UsedFunction {
  readonly steps: number
}

/** What stands at each use of the function that moves. */
export interface MovedFunction extends UsedFunction {
  /** Within what moves, too: it stays as it is, and runs in the worker. */
  readonly isIgnored: (use: Use) => boolean
  readonly onCall: (use: Use) => void
  /** A call at the top of a file, which runs once, before requests come. */
  readonly onStart: (use: Use) => void
}

/** @throws Refused */
export function changeCalls(changing: Changing, moved: MovedFunction): void {
  const own = ({ start, end }: Node, script: ParsedScript) =>
    script === moved.script && start >= moved.node.start && end <= moved.node.end
  for (const use of usesOf(changing.app, moved)) {
    if (own(use.node, use.script) || moved.isIgnored(use)) continue
    const call = callOf(use)
    if (call === null && isMapped(use)) mapUse(changing, moved, use)
    else if (call === null) throw escapes(changing, moved, use)
    else if (functionAround(use.script, call) === null) startCall(changing, moved, use)
    else {
      checkGiven(changing, moved, { script: use.script, call })
      awaitCall(changing, use.script, call, { ...moved, steps: 0 })
      moved.onCall(use)
    }
  }
}

/** Real calls were given data; here stands one that no call may have come by. */
function checkGiven(
  { app }: Changing,
  { name }: MovedFunction,
  { script, call }: { script: ParsedScript; call: Node },
): void {
  for (const given of parts(call, 'arguments')) {
    const isLive =
      given.type === 'ThisExpression' || (given.type === 'Identifier' && LIVE.test(word(given, 'name')!))
    const isCode = /^Class/.test(given.type) || functionsOf(script, given, app.find).length > 0
    if (isLive || isCode)
      throw new Refused(
        `${name} is given ${isCode ? 'a function' : script.text.slice(given.start, given.end)}, which is no data`,
        app.at(script, given),
      )
  }
}

/** As handlers call what they are given. */
const LIVE = /^(req|res|request|response|reply|ctx|socket)$/

/** Outside of functions it runs once, but for the fields of a class. */
function startCall({ app }: Changing, moved: MovedFunction, use: Use): void {
  for (let node = parentOf(use.script, use.node); node; node = parentOf(use.script, node))
    if (/^(PropertyDefinition|StaticBlock)$/.test(node.type))
      throw new Refused(whileMade(moved.name), app.at(use.script, use.node))
  moved.onStart(use)
}

const whileMade = (name: string) => `${name} is called while a class or an object of it is made`

function escapes({ app }: Changing, { name }: UsedFunction, { script, node }: Use): Refused {
  const call = parentOf(script, node)
  const callee = call?.type === 'CallExpression' ? memberName(part(call, 'callee')) : null
  const what = callee !== null ? AT_ONCE[callee] : undefined
  return new Refused(
    what ? `${name} is ${what}, which takes no promise` : `${name} is handed on as a value`,
    app.at(script, node),
  )
}

/** The call of which it is the callee. */
function callOf({ script, node }: Use): Node | null {
  const parent = parentOf(script, node)
  return parent?.type === 'CallExpression' && part(parent, 'callee') === node ? parent : null
}

/** `rows.map(render)`, of a function that takes the first argument alone. */
function isMapped({ script, node }: Use): boolean {
  const call = parentOf(script, node)
  return (
    call?.type === 'CallExpression' &&
    parts(call, 'arguments').length === 1 &&
    parts(call, 'arguments')[0] === node &&
    memberName(part(call, 'callee')) === 'map'
  )
}

function mapUse(changing: Changing, moved: MovedFunction, use: Use): void {
  const [parameter, ...others] = moved.node.params
  if (parameter?.type !== 'Identifier' || others.length > 0) throw escapes(changing, moved, use)
  const name = word(parameter, 'name')!
  changing.edits.wrap(use.script, use.node, `(${name}) => `, `(${name})`)
  awaitAll(changing, use.script, parentOf(use.script, use.node)!, { ...moved, steps: 0 })
  moved.onCall(use)
}

/** Waits for a call, in a function that may. @throws Refused */
export function awaitCall(changing: Changing, script: ParsedScript, call: Node, called: Called): void {
  if (changing.awaited.has(call)) return
  changing.awaited.add(call)
  const { app } = changing
  const around = functionAround(script, call)
  if (around === null) throw new Refused(`${called.name} is called while a file loads`, app.at(script, call))
  checkPlace(changing, script, { call, around, called })
  const name = nameOf(script, around)
  for (const { name: what, isChangedFirst } of usedAround(script, around, call)) {
    const how = isChangedFirst
      ? 'changed before this call and read after it'
      : 'used before this call and changed after it'
    changing.notes.push({
      ...app.at(script, call),
      text: `\`${what}\` is ${how}, and other requests run while ${name} waits`,
    })
  }
  if (isMapCallback(script, around) && !around.async) return inMap(changing, script, { call, around, called })
  if (isAwaited(script, call, around) || isInAll(script, call)) return
  writeAwait(changing, script, call)
  makeAsync(changing, script, around, called)
}

interface CallSite {
  readonly call: Node
  readonly around: FunctionNode
  readonly called: Called
}

/** Where the language allows no `await`. */
function checkPlace({ app }: Changing, script: ParsedScript, { call, around, called }: CallSite): void {
  if (call.start < around.body.start)
    throw new Refused(`${called.name} is called in the parameters of a function`, app.at(script, call))
  for (let node = parentOf(script, call); node && node !== (around as Node); node = parentOf(script, node)) {
    if (/^(PropertyDefinition|StaticBlock|ClassBody)$/.test(node.type))
      throw new Refused(whileMade(called.name), app.at(script, call))
    if (isLostUpdate(script, node, around))
      throw new Refused(
        `what ${called.name} gives is added to something that others may change meanwhile`,
        app.at(script, call),
      )
    if (node.type === 'ChainExpression' && isShortCut(node, call))
      throw new Refused(`${called.name} is called in the middle of ?.`, app.at(script, call))
  }
}

/** `total += call()` reads `total` before it waits, and writes it after: what others add meanwhile is lost. */
function isLostUpdate(script: ParsedScript, node: Node, around: FunctionNode): boolean {
  if (node.type !== 'AssignmentExpression' || word(node, 'operator') === '=') return false
  const root = rootOf(part(node, 'left'))
  if (root?.type !== 'Identifier') return true // such as `this.total`
  return (
    freeReferences(script, around).some(({ identifier }) => (identifier as unknown) === root) ||
    isTaken(script, around, root)
  )
}

/** `a?.call().more`: what follows is left out where there is no `a`, and would not be behind `await`. */
function isShortCut(chain: Node, call: Node): boolean {
  if (part(chain, 'expression') === call) return false
  const isOptional = (node: Node | null): boolean =>
    node !== null && (flag(node, 'optional') || isOptional(part(node, 'callee') ?? part(node, 'object')))
  let inner = part(chain, 'expression')
  while (inner && inner !== call) inner = part(inner, 'callee') ?? part(inner, 'object')
  return inner === call && isOptional(call)
}

/** `Promise.all([one(), two()])` */
function isInAll(script: ParsedScript, call: Node): boolean {
  const list = parentOf(script, call)
  const all = list?.type === 'ArrayExpression' ? parentOf(script, list) : null
  return all !== null && isPromiseAll(all) && parentOf(script, all)?.type === 'AwaitExpression'
}

function isPromiseAll(node: Node | null): boolean {
  const callee = part(node, 'callee')
  return (
    /^(all|allSettled)$/.test(memberName(callee) ?? '') && word(part(callee, 'object'), 'name') === 'Promise'
  )
}

function isMapCallback(script: ParsedScript, node: FunctionNode): boolean {
  const call = parentOf(script, node)
  const [first, ...others] = parts(call, 'arguments')
  return (
    call?.type === 'CallExpression' &&
    first === (node as Node) &&
    others.length === 0 &&
    memberName(part(call, 'callee')) === 'map'
  )
}

/** Calls of a list run side by side, so the callback may change nothing that is not its own. */
function inMap(changing: Changing, script: ParsedScript, { call, around, called }: CallSite): void {
  const { app } = changing
  const changed = freeReferences(script, around).find(
    (each) =>
      each.resolved?.defs.length &&
      (each.isWrite() || isChangedAt(script, each.identifier as unknown as Node)),
  )
  if (changed)
    throw new Refused(
      `a callback of map calls ${called.name} and changes \`${changed.identifier.name}\`, in an order that would be another one`,
      app.at(script, call),
    )
  if (around.generator) throw new Refused(`${called.name} is called in a generator`, app.at(script, around))
  if (changing.opensFiles)
    throw new Refused(
      `a callback of map calls ${called.name}, which would open all files at once`,
      app.at(script, call),
    )
  const isAll = around.body === call
  if (!isAll) {
    writeAwait(changing, script, call)
    writeAsync(changing, script, around)
  }
  awaitAll(changing, script, parentOf(script, around)!, called)
}

function awaitAll(changing: Changing, script: ParsedScript, map: Node, called: Called): void {
  if (changing.awaited.has(map)) return
  if (isPromiseAll(parentOf(script, map))) return
  changing.edits.wrap(script, map, 'Promise.all(', ')')
  awaitCall(changing, script, map, called)
}

function writeAwait({ edits }: Changing, script: ParsedScript, call: Node): void {
  const isIn = isTight(script, call)
  const before = isIn && isFirst(script, call) ? ';' : ''
  edits.wrap(script, call, isIn ? `${before}(await ` : 'await ', isIn ? ')' : '')
}

/** Without a semicolon before it a statement that begins with a parenthesis would belong to the one before. */
function isFirst(script: ParsedScript, { start }: Node): boolean {
  const isStart = nodesOf(script).some((each) => each.type === 'ExpressionStatement' && each.start === start)
  return isStart && /[^;{}\s]\s*$/.test(script.text.slice(0, start))
}

/** Where `await` binds less than what follows. */
function isTight(script: ParsedScript, call: Node): boolean {
  const parent = parentOf(script, call)
  switch (parent?.type) {
    case 'MemberExpression':
      return part(parent, 'object') === call
    case 'CallExpression':
    case 'NewExpression':
      return part(parent, 'callee') === call
    case 'BinaryExpression':
      return word(parent, 'operator') === '**' && part(parent, 'left') === call
    case 'TaggedTemplateExpression':
    case 'TSNonNullExpression':
      return true
    case 'ChainExpression':
      return isTight(script, parent)
    default:
      return false
  }
}

function makeAsync(changing: Changing, script: ParsedScript, node: FunctionNode, called: Called): void {
  if (node.async || changing.made.has(node)) return
  const { app } = changing
  const refuse = (what: string) =>
    new Refused(`${called.name} is called in ${what}, which takes no promise`, app.at(script, node))
  const name = nameOf(script, node)
  const why = whyNotAsync(script, node, name)
  if (why !== null) throw refuse(why)
  const parent = parentOf(script, node)!
  const isArgument = parent.type === 'CallExpression' && parts(parent, 'arguments').includes(node)
  writeAsync(changing, script, node)
  if (isArgument) makeHandler(changing, script, { call: parent, given: node }, refuse)
  const isRoute = isRouteObject(app, script, node)
  if (isRoute || (isArgument && isOfFastifyCall({ app, script, call: parent })))
    giveBack(changing, script, node)
  const used = { name, script, node }
  tellOutside(changing, used)
  if (isArgument || isRoute || isNestRoute(script, node)) return
  if (!isFollowed(used)) throw refuse(`${name}, whose callers are not known`)
  if (called.steps >= MAX_STEPS)
    throw new Refused(
      `more than ${MAX_STEPS} functions would have to wait for each other, up to ${name}`,
      app.at(script, node),
    )
  for (const use of usesOf(app, used)) followUse(changing, use, { ...used, steps: called.steps + 1 })
}

/** Programs beside the app, and tests, that call what is asynchronous from now on. */
function tellOutside({ app, notes }: Changing, used: UsedFunction): void {
  if (app.outside.length === 0) return
  for (const { script, node } of isMethod(used) ? methodCalls(app, used) : usesOf(app, used, app.outside))
    if (script !== used.script)
      notes.push({
        ...app.at(script, node),
        text: `${used.name} is called here, too, and gives a promise now`,
      })
}

/** In programs that load its file: of what they call it nothing may tell, as where a framework has made the object. */
function methodCalls(app: AppFiles, used: UsedFunction): Use[] {
  const name = word(part(parentOf(used.script, used.node), 'key'), 'name')
  const loadsIt = (script: ParsedScript) =>
    nodesOf(script).some((node) => {
      const module = loadOf(node)
      return module !== null && app.find(script, module) === used.script
    })
  return app.outside
    .filter(loadsIt)
    .flatMap((script) =>
      nodesOf(script).flatMap((node) =>
        memberName(node) === name &&
        parentOf(script, node)?.type === 'CallExpression' &&
        part(parentOf(script, node), 'callee') === node
          ? [{ script, node }]
          : [],
      ),
    )
}

/** By its variable, by what exports it, or as a method. */
function isFollowed(used: UsedFunction): boolean {
  const parent = parentOf(used.script, used.node)
  if (used.node.type === 'FunctionDeclaration' || parent?.type === 'VariableDeclarator') return true
  if (parent?.type === 'ExportDefaultDeclaration') return true
  if (parent?.type === 'MethodDefinition') return isMethod(used)
  return isExport({ script: used.script, node: used.node })
}

/** Null: the language has nothing against it. */
function whyNotAsync(script: ParsedScript, node: FunctionNode, name: string): string | null {
  const parent = parentOf(script, node)!
  const kind =
    /^(MethodDefinition|Property)$/.test(parent.type) && part(parent, 'value') === (node as Node)
      ? word(parent, 'kind')
      : null
  if (kind === 'get' || kind === 'set') return `the ${kind}ter ${name}`
  if (kind === 'constructor') return 'a constructor'
  if (node.generator) return `the iterator ${name}`
  const key = part(parent, 'key')
  if (key !== null && flag(parent, 'computed')) return `a method with a computed name`
  if (key !== null && OF_LANGUAGE.test(word(key, 'name') ?? '')) return `${name}, which the language calls`
  const type = part(node, 'returnType')
  if (/^TSTypePredicate$/.test(part(type, 'typeAnnotation')?.type ?? '')) return `${name}, which tells a type`
  const id = parent.type === 'VariableDeclarator' ? part(parent, 'id') : null
  const annotation = script.text.slice(
    part(id, 'typeAnnotation')?.start ?? 0,
    part(id, 'typeAnnotation')?.end ?? 0,
  )
  if (annotation !== '' && !/Handler\b/.test(annotation)) return `${name}, which has a type of its own`
  const body = parentOf(script, parent)
  if (parent.type === 'MethodDefinition' && body && part(parentOf(script, body), 'superClass'))
    return `${name}, a method that a class above may have`
  return null
}

interface Handed {
  readonly call: Node
  readonly given: Node
  /** The function that it stands for. */
  readonly handler?: FunctionNode
}

function makeHandler(
  changing: Changing,
  script: ParsedScript,
  { call, given, handler }: Handed,
  refuse: (what: string) => Refused,
): void {
  const waiting = waitingOf({ app: changing.app, script, call, given, ...(handler && { handler }) })
  const callee = part(call, 'callee')
  const name = memberName(callee) ?? word(callee, 'name') ?? 'a function'
  if (waiting === null) throw refuse(AT_ONCE[name] ?? `what is given to ${name}`)
  if (waiting === 'awaits') return
  changing.edits.wrap(script, given, 'passErrors(', ')')
  changing.passing.add(script)
}

function followUse(changing: Changing, use: Use, called: Called): void {
  const { script, node } = use
  const call = callOf(use)
  if (call !== null) return awaitCall(changing, script, call, called)
  if (isMapped(use)) return awaitAll(changing, script, parentOf(script, node)!, called)
  const parent = parentOf(script, node)
  const isArgument = parent?.type === 'CallExpression' && parts(parent, 'arguments').includes(node)
  if (!isArgument) throw escapes(changing, called, use)
  makeHandler(
    changing,
    script,
    { call: parent, given: node, handler: called.node },
    (what) =>
      new Refused(
        `${called.name} is ${what.replace(/^what is /, '')}, which may take no promise`,
        changing.app.at(script, node),
      ),
  )
  if (isOfFastifyCall({ app: changing.app, script, call: parent }))
    giveBack(changing, called.script, called.node)
}

/** Once, also where it is given to several routes. */
function giveBack({ edits, returning }: Changing, script: ParsedScript, node: FunctionNode): void {
  if (!returning.has(node)) returnReply(edits, script, node)
  returning.add(node)
}

function writeAsync({ edits, made }: Changing, script: ParsedScript, node: FunctionNode): void {
  if (node.async || made.has(node)) return
  made.add(node)
  const parent = parentOf(script, node)!
  const isHeld = parent.type === 'MethodDefinition' || (parent.type === 'Property' && flag(parent, 'method'))
  const key = part(parent, 'key')
  edits.wrap(script, { start: isHeld ? key!.start : node.start, end: node.end }, 'async ', '')
  const type = part(part(node, 'returnType'), 'typeAnnotation')
  if (type) edits.wrap(script, type, 'Promise<', '>')
}

export function functionAround(script: ParsedScript, node: Node): FunctionNode | null {
  let around = parentOf(script, node)
  while (around && !isFunction(around)) around = parentOf(script, around)
  return around === script.wrapper ? null : around
}

function nameOf(script: ParsedScript, node: FunctionNode): string {
  const path: Node[] = []
  for (let each: Node | null = node; each; each = parentOf(script, each)) path.unshift(each)
  return node.id?.name ?? heldName(path) ?? 'a function'
}
