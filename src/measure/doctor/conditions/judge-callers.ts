// Who calls a function, by the stacks of real calls: what is moved gives a promise, and not everybody can wait for one.
//
//   the function <- a function of the user: it has to await <- one of the user: it too, unless it awaits already <- ... <- the event loop
//                <- the language or a package, which takes what it is given: it cannot move

import type { Node } from 'acorn'
import type { DoctorCondition } from '../../results/doctor-result.js'
import type { CallerFrame } from '../agent/messages.js'
import type { AppScript } from '../source/app-script.js'
import { flag, memberName, part, parts, word } from '../source/ast.js'
import { heldName } from '../source/function-name.js'
import { isAccessor } from '../effects/judge-source.js'
import { shortPath } from '../source/original-place.js'
import { parentOf } from '../source/parents.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import { usedAround, type UsedAround } from './interleaving.js'
import { isAmongEvents, placeWithoutAwait } from './no-await.js'
import { placeText, type SourcePlace, type Places } from '../source/places.js'

export interface CallersJudgement {
  /** Who cannot wait; null: everybody can. */
  readonly cannot: string | null
  readonly conditions: DoctorCondition[]
}

/** They call a function for each element, and their result can be awaited by `Promise.all`. Those of typed arrays take numbers alone. */
const EACH = /^Array\.(map|flatMap|from|forEach)$/
/** They only pass a call on. */
const PASSING = /^(Reflect\.apply|Function\.(call|apply)|Object\.(call|apply)|new Promise|Promise)$/
/** Of Node.js: they call a function at once, and give what it gives. */
const PASSING_NODE =
  /^node:(async_hooks|internal\/async_local_storage\/|diagnostics_channel|internal\/process\/|internal\/modules\/)/
/** Packages that call what handles a request, or runs as a job, and wait for its promise or take nothing from it. */
const WAITING =
  /^(router|@fastify\/.*|avvio|koa-compose|@koa\/.*|koa-\w+|@hono\/.*|@nestjs\/.*|restify|polka|h3|nitropack|@hapi\/.*|connect|next|graphql-yoga|@apollo\/.*|@graphql-\w+\/.*|apollo-server.*|mercurius|@trpc\/.*|bullmq|bull|p-\w+|middie|light-my-request|socket\.io|ws|node-cron|cron|croner|agenda|kafkajs|amqplib|elysia|@adonisjs\/.*|@feathersjs\/.*)$/
/** Of others the parts that do: they call functions that answer at once, too, such as serializers. */
const WAITING_PARTS: Readonly<Record<string, RegExp>> = {
  express: /\/lib\/(router|application\.js)/,
  fastify:
    /\/lib\/(handle-?[rR]equest|hooks|error-?[hH]andler|content-?[tT]ype-?[pP]arser|wrap-?[tT]henable)/,
  koa: /\/lib\/application\.js/,
  hono: /\/(compose|hono-base|hono)\.js/,
  graphql: /\/execution\/execute\.(m?js)/,
}
/** In those parts, functions that take no promise. */
const AT_ONCE = /^(completeLeafValue|render|tryRender|completeAbstractValue)$/
const CANNOT_WAIT = 'which takes no promise'

export function judgeCallers(
  name: string,
  stacks: readonly (readonly CallerFrame[])[],
  places: Places,
): CallersJudgement {
  const conditions = new Map<string, DoctorCondition>()
  let cannot: string | null = null
  for (const stack of stacks) cannot ??= followStack(name, stack, { places, conditions })
  return { cannot, conditions: [...conditions.values()] }
}

interface Walk {
  readonly places: Places
  readonly conditions: Map<string, DoctorCondition>
}

/** Who of one stack cannot wait; null: nobody. */
function followStack(
  name: string,
  stack: readonly CallerFrame[],
  { places, conditions }: Walk,
): string | null {
  let called = name
  let each: string | null = null
  let byLanguage: string | null = null
  for (const [at, frame] of stack.entries()) {
    if (frame.isAsync) return null
    const isUsers = () => isWithinUser(stack.slice(at + 1), places)
    if (frame.url === '') {
      if (PASSING.test(frame.name)) continue
      if (!EACH.test(frame.name)) return `${called} is called by ${ofLanguage(frame.name)}, ${CANNOT_WAIT}`
      each = frame.name
      continue
    }
    if (PASSING_NODE.test(frame.url)) continue
    if (frame.url.startsWith('node:'))
      return isUsers() || isAmongEvents(stack.slice(at))
        ? `${called} is called by ${frame.name || 'Node.js'} (${frame.url}), ${CANNOT_WAIT}`
        : null
    const script = places.scriptAt(frame.url)
    if (!script?.parsed) return ofPackage(called, frame)
    const withoutAwait = whyNoAwait(script.parsed, frame)
    if (withoutAwait !== null)
      return `${called} is called by ${withoutAwait} (${placeText(placeIn(script, frame))}), ${CANNOT_WAIT}`
    const caller = callerOf(script, script.parsed, frame)
    if (caller === null) return null // the top level of a file
    const reason = byLanguage !== null && calleeName(caller) !== byLanguage ? caller.name : whyNot(caller)
    if ((each === null ? caller.isAwaited : caller.awaitsAll) && reason === null) return null
    if (reason !== null)
      return `${called} is called by ${reason} (${placeText(caller.place)}), ${CANNOT_WAIT}`
    const text = awaitText(called, caller, each)
    const key = `${placeText(caller.place)} ${text}` // several may stand in a line
    if (!conditions.has(key)) conditions.set(key, { kind: 'await-callers', text, ...caller.place })
    for (const found of betweenConditions(script.parsed, caller))
      conditions.set(`${key} ${found.text}`, found)
    if (caller.node.async) return null
    called = caller.name
    byLanguage = languageName(caller)
    each = null
  }
  return null
}

/** Of a method that the language calls by itself, unless somebody names it. */
function languageName({ path }: Caller): string | null {
  const member = path.at(-2)
  const name = word(part(member, 'key'), 'name') ?? ''
  const isMethod = /^(Property|MethodDefinition|PropertyDefinition)$/.test(member?.type ?? '')
  return isMethod && (flag(member!, 'computed') || /^(toJSON|toString|valueOf|next)$/.test(name))
    ? name
    : null
}

function calleeName({ call }: Caller): string | null {
  return memberName(part(call, 'callee'))
}

/** Code of the user goes on as soon as such a caller returns. */
function isWithinUser(stack: readonly CallerFrame[], places: Places): boolean {
  const end = stack.findIndex(({ isAsync }) => isAsync)
  return stack.slice(0, end < 0 ? undefined : end).some(({ url }) => places.scriptAt(url)?.parsed != null)
}

/** Such as "Array.filter". What was compiled while the app ran has no file, either, and its names may be data. */
function ofLanguage(name: string): string {
  const root = /^(?:new )?(\w+)/.exec(name)?.[1] ?? ''
  return root in globalThis ? name : 'the language'
}

function ofPackage(called: string, { url, name }: CallerFrame): string | null {
  const path = url.replaceAll('\\', '/')
  const found = [...path.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].at(-1)?.[1]
  if (found === undefined || WAITING.test(found)) return null
  if (WAITING_PARTS[found]?.test(path) && !AT_ONCE.test(name)) return null
  return `${called} is called by the package ${found}${/^[a-z][A-Za-z]{0,29}$/.test(name) ? ` (${name})` : ''}, and nothing says that it takes a promise`
}

interface Caller {
  readonly name: string
  readonly node: FunctionNode
  readonly path: readonly Node[]
  readonly place: SourcePlace
  /** Null: it writes none there. */
  readonly call: Node | null
  readonly isAwaited: boolean
  /** Of a list of promises. */
  readonly awaitsAll: boolean
  /** It writes no call there: a loop, an operator or a property calls it. */
  readonly isImplicit: boolean
}

/** What may be another thing when it goes on. */
function betweenConditions(script: ParsedScript, { node, call, name, place }: Caller): DoctorCondition[] {
  const names = call === null ? [] : usedAround(script, node, call)
  return names.map((each) => betweenCondition(each, name, place))
}

export function betweenCondition(
  { name, isChangedFirst }: UsedAround,
  caller: string,
  place: SourcePlace,
): DoctorCondition {
  const how = isChangedFirst
    ? 'changes that before the call, and reads it'
    : 'uses that before the call, and changes it'
  return {
    kind: 'state',
    text: `nobody else changes \`${name}\` while ${caller} waits: it ${how} after`,
    ...place,
  }
}

function whyNoAwait(parsed: ParsedScript, { line, column }: CallerFrame): string | null {
  const call = callAt(parsed.program, parsed.offsetOf(line, column))
  return call && placeWithoutAwait(parsed, call)
}

function placeIn(script: AppScript, { line, column }: Pick<CallerFrame, 'line' | 'column'>): SourcePlace {
  const place = script.placeOf(line, column)
  return { file: shortPath(place.file), line: place.line }
}

function callerOf(script: AppScript, parsed: ParsedScript, { line, column }: CallerFrame): Caller | null {
  const offset = parsed.offsetOf(line, column)
  const found = parsed.functions.findLast(({ node }) => node.start <= offset && offset < node.end)
  if (!found) return null
  const call = callAt(found.node, offset)
  return {
    node: found.node,
    path: found.path,
    call,
    isAwaited: call !== null && isAwaited(parsed, call, found.node),
    awaitsAll: call !== null && awaitsAll(parsed, call, found.node),
    isImplicit: call === null && !isAwaitedLoop(found.node, offset),
    name: nameOf(found.path),
    place: placeIn(script, { line, column }),
  }
}

/** The arguments as a caller wrote them; null: its source is not the user's, or shows no call there. */
export function writtenArguments(frame: CallerFrame | undefined, places: Places): Node[] | null {
  const parsed = frame && places.scriptAt(frame.url)?.parsed
  if (!frame || !parsed) return null
  const call = callAt(parsed.program, parsed.offsetOf(frame.line, frame.column))
  return call && parts(call, 'arguments')
}

/** The innermost call whose head holds the place: V8 names that of the callee, of its last name, or of the bracket behind it. */
function callAt(node: Node, offset: number): Node | null {
  for (const child of childNodes(node)) {
    if (child.start > offset || child.end <= offset) continue
    const inner = callAt(child, offset)
    if (inner) return inner
  }
  const callee = part(node, 'callee') ?? part(node, 'tag')
  if (!callee || offset < node.start) return null
  const [first] = parts(node, 'arguments')
  return offset < (first?.start ?? node.end) || offset <= callee.end ? node : null
}

/** Its promise would go to `await`, or to whoever waits for this function. */
export function isAwaited(script: ParsedScript, call: Node, { async }: FunctionNode): boolean {
  const parent = parentOf(script, call)
  if (parent?.type === 'AwaitExpression') return true
  if (!async || parent === null) return false
  return isFunction(parent) || (parent.type === 'ReturnStatement' && !isTried(script, parent))
}

/** `await Promise.all(rows.map(...))` */
function awaitsAll(script: ParsedScript, call: Node, node: FunctionNode): boolean {
  const outer = parentOf(script, call)
  const callee = part(outer, 'callee')
  const isAll =
    /^(all|allSettled)$/.test(memberName(callee) ?? '') && word(part(callee, 'object'), 'name') === 'Promise'
  return isAll && isAwaited(script, outer!, node)
}

/** What fails has to be awaited there to be caught. */
function isTried(script: ParsedScript, node: Node): boolean {
  const parent = parentOf(script, node)
  if (parent === null || isFunction(parent)) return false
  return (parent.type === 'TryStatement' && part(parent, 'finalizer') !== node) || isTried(script, parent)
}

/** `for await` waits for what it calls. */
function isAwaitedLoop(node: Node, offset: number): boolean {
  if (node.type === 'ForOfStatement' && flag(node, 'await')) return true
  const inner = childNodes(node).find((child) => child.start <= offset && offset < child.end)
  return inner !== undefined && isAwaitedLoop(inner, offset)
}

function whyNot({ node, path, name, isImplicit }: Caller): string | null {
  if (isImplicit) return `${name} without a call, as a loop, an operator or a property does`
  if (isAccessor(path))
    return word(path.at(-2), 'kind') === 'constructor' ? `a constructor` : `the getter or setter ${name}`
  return node.generator && !node.async ? `the generator ${name}` : null
}

function awaitText(called: string, { node, name }: Caller, each: string | null): string {
  const what =
    each === null
      ? `awaits ${called}`
      : each.endsWith('forEach')
        ? `calls ${called} in a loop that awaits it, in place of forEach`
        : `awaits ${called} by Promise.all around ${each.split('.')[1]}${each.endsWith('flatMap') ? ', and flattens what that gives' : ''}`
  return `${name} ${what}${node.async ? '' : ', and is async'}`
}

function nameOf(path: readonly Node[]): string {
  return word(part(path.at(-1), 'id'), 'name') ?? heldName(path) ?? 'its caller'
}
