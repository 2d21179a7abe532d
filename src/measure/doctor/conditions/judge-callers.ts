// Who calls a function, by the stacks of real calls: what is moved gives a promise, and not everybody can wait for one.
//
//   the function <- a function of the user: it has to await <- one of the user: it too, unless it awaits already <- ... <- the event loop
//                <- the language or a package, which takes what it is given: it cannot move

import type { Node } from 'acorn'
import type { DoctorCondition } from '../../results/doctor-result.js'
import type { CallerFrame } from '../agent/messages.js'
import type { AppScript } from '../source/app-script.js'
import { part, parts, word } from '../source/ast.js'
import { isAccessor } from '../source/judge-source.js'
import { shortPath } from '../source/original-place.js'
import { parentOf } from '../source/parents.js'
import { childrenOf, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import { placeText, type Place, type Places } from './places.js'

export interface CallersJudgement {
  /** Who cannot wait; null: everybody can. */
  readonly cannot: string | null
  readonly conditions: DoctorCondition[]
}

/** They call a function for each element, and their result can be awaited by `Promise.all`. */
const EACH = /^(Array|\w*Array)\.(map|flatMap|from|forEach)$/
/** They only pass a call on. */
const PASSING = /^(Reflect\.apply|Function\.(call|apply)|Object\.(call|apply)|new Promise|Promise)$/
/** Packages that call what handles a request, or runs as a job, and wait for its promise or take nothing from it. */
const WAITING =
  /^(express|router|fastify|@fastify\/.*|avvio|koa|@koa\/.*|koa-\w+|hono|@hono\/.*|@nestjs\/.*|rxjs|restify|polka|h3|nitropack|@hapi\/.*|connect|next|graphql|graphql-yoga|@apollo\/.*|@graphql-\w+\/.*|apollo-server.*|mercurius|@trpc\/.*|bullmq|bull|p-\w+|async|middie|find-my-way|light-my-request|socket\.io|ws|node-cron|cron|croner|agenda|kafkajs|amqplib|elysia|tsyringe|inversify.*|@adonisjs\/.*|@feathersjs\/.*)$/
const CANNOT_WAIT = 'which takes no promise'

export function judgeCallers(
  name: string,
  stacks: readonly (readonly CallerFrame[])[],
  places: Places,
): CallersJudgement {
  // prettier-ignore
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
  let gives = true
  let each: string | null = null
  for (const frame of stack) {
    if (frame.isAsync) return null
    if (frame.url === '') {
      if (PASSING.test(frame.name)) continue
      if (!EACH.test(frame.name)) return gives ? `${called} is called by ${frame.name || 'the language'}, ${CANNOT_WAIT}` : null // prettier-ignore
      each = frame.name
      continue
    }
    if (frame.url.startsWith('node:')) return null
    const script = places.scriptAt(frame.url)
    if (!script?.parsed) return gives ? ofPackage(called, frame) : null
    const caller = callerOf(script, script.parsed, frame)
    if (caller === null) return null // the top level of a file
    if (caller.isAwaited) return null
    const reason = whyNot(caller)
    if (reason !== null)
      return `${called} is called by ${reason} (${placeText(caller.place)}), ${CANNOT_WAIT}`
    const key = placeText(caller.place)
    if (!conditions.has(key)) conditions.set(key, { kind: 'await-callers', text: awaitText(called, caller, each), ...caller.place }) // prettier-ignore
    if (caller.node.async) return null
    called = caller.name
    gives = givesValue(caller.node)
    each = null
  }
  return null
}

function ofPackage(called: string, { url, name }: CallerFrame): string | null {
  const found = [...url.replaceAll('\\', '/').matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].at(-1)?.[1]
  if (found === undefined || WAITING.test(found)) return null
  return `${called} is called by the package ${found}${name === '' ? '' : ` (${name})`}, and nothing says that it takes a promise` // prettier-ignore
}

interface Caller {
  readonly name: string
  readonly node: FunctionNode
  readonly path: readonly Node[]
  readonly place: Place
  readonly isAwaited: boolean
}

function callerOf(
  script: AppScript,
  parsed: ParsedScript,
  { line, column, name }: CallerFrame,
): Caller | null {
  const offset = parsed.offsetOf(line, column)
  const found = parsed.functions.findLast(({ node }) => node.start <= offset && offset < node.end)
  if (!found) return null
  const call = callAt(found.node, offset)
  const place = script.placeOf(line, column)
  return {
    ...{
      node: found.node,
      path: found.path,
      isAwaited: call !== null && isAwaited(parsed, call, found.node),
    },
    ...{ name: name || nameOf(found.path), place: { file: shortPath(place.file), line: place.line } },
  }
}

/** The arguments as a caller wrote them; null: its source is not the user's, or shows no call there. */
export function writtenArguments(frame: CallerFrame | undefined, places: Places): Node[] | null {
  const parsed = frame && places.scriptAt(frame.url)?.parsed
  if (!frame || !parsed) return null
  const call = callAt(parsed.program, parsed.offsetOf(frame.line, frame.column))
  return call && parts(call, 'arguments')
}

/** The innermost call that holds the place: V8 names that of the callee, or of its last name. */
function callAt(node: Node, offset: number): Node | null {
  for (const child of childrenOf(node)) {
    if (child.start > offset || child.end <= offset) continue
    const inner = callAt(child, offset)
    if (inner) return inner
  }
  const callee = part(node, 'callee')
  return callee && node.start <= offset && offset <= callee.end ? node : null
}

/** Its promise would go to `await`, or to whoever waits for this function. */
function isAwaited(script: ParsedScript, call: Node, { async }: FunctionNode): boolean {
  const parent = parentOf(script, call)
  return parent?.type === 'AwaitExpression' || (async && (parent?.type === 'ReturnStatement' || (parent !== null && isFunction(parent)))) // prettier-ignore
}

function whyNot({ node, path, name }: Caller): string | null {
  if (isAccessor(path)) return word(path.at(-2), 'kind') === 'constructor' ? `a constructor` : `the getter or setter ${name}` // prettier-ignore
  return node.generator && !node.async ? `the generator ${name}` : null
}

function awaitText(called: string, { node, name }: Caller, each: string | null): string {
  const what = each === null ? `awaits ${called}` : each.endsWith('forEach') ? `calls ${called} in a loop that awaits it, in place of forEach` : `awaits ${called} by Promise.all around ${each.split('.')[1]}` // prettier-ignore
  return `${name} ${what}${node.async ? '' : ', and is async'}`
}

/** Whether a function gives anything: what nobody takes may be a promise. */
function givesValue(node: FunctionNode): boolean {
  if (node.body.type !== 'BlockStatement') return true
  const visit = (each: Node): boolean => {
    if (isFunction(each)) return false
    if (each.type === 'ReturnStatement' && part(each, 'argument') !== null) return true
    return childrenOf(each).some(visit)
  }
  return childrenOf(node.body).some(visit)
}

function nameOf(path: readonly Node[]): string {
  const parent = path.at(-2)
  return word(part(parent, 'id') ?? part(parent, 'key'), 'name') ?? 'its caller'
}
