// Where a caller cannot wait for a promise: the language allows no `await` there, or nobody waits for what a listener gives.

import type { Node } from 'acorn'
import type { CallerFrame } from '../agent/messages.js'
import { flag, memberName, part, parts } from '../source/ast.js'
import { parentOf } from '../source/parents.js'
import { isFunction, type ParsedScript } from '../source/script-functions.js'

/** Who cannot wait by the place of a call; null: the language allows an `await`, or the file is loaded then. */
export function placeWithoutAwait(script: ParsedScript, call: Node): string | null {
  let inner = call
  for (let around = parentOf(script, call); around !== null; around = parentOf(script, inner)) {
    if (isFunction(around)) return part(around, 'body') === inner ? null : 'a default value of a parameter'
    const isField = around.type === 'PropertyDefinition' && part(around, 'value') === inner
    if ((isField || around.type === 'StaticBlock') && !isAtLoad(script, around)) return 'a field of a class'
    inner = around
  }
  return null
}

/** Static, of a class that is made when its file is loaded. */
function isAtLoad(script: ParsedScript, member: Node): boolean {
  if (member.type === 'PropertyDefinition' && !flag(member, 'static')) return false
  for (let around = parentOf(script, member); around !== null; around = parentOf(script, around))
    if (isFunction(around) && around !== script.wrapper) return false
  return true
}

/** After these events none follows that a listener has to be done for, or each is for itself. */
const ALONE = /^(request|end|finish|close|message|connection|connect)$/

/** `emitter.on('data', listener)`: the next event comes before the promise of a listener is done. */
export function listenedEvent(call: Node): string | null {
  const isListening = /^(on|once|addListener|prependListener|prependOnceListener)$/.test(
    memberName(part(call, 'callee')) ?? '',
  )
  const [event] = parts(call, 'arguments')
  const name = event?.type === 'Literal' ? (event as unknown as { value: unknown }).value : null
  return isListening && typeof name === 'string' && !ALONE.test(name) ? name : null
}

/** Of Node.js, by their names in a stack below `emit`: what emits those events. */
const EMITS_ALONE: readonly (readonly [RegExp, RegExp])[] = [
  [/^node:_http_server$/, /^parserOnIncoming$/],
  [/^node:internal\/http2\//, /./],
  [/^node:internal\/streams\//, /^(endReadableNT|finish|emitCloseNT|emitErrorCloseNT)$/],
  [/^node:internal\/(child_process|worker|cluster|event_target|per_context)/, /./],
  [/^node:(net|_tls_wrap)$/, /^(onconnection|onServerSocketSecure)$/],
]

/** Whether a listener is called for an event before which others come. @param below what stands below the listener in a stack */
export function isAmongEvents(below: readonly CallerFrame[]): boolean {
  if (below[0]?.url !== 'node:events') return false
  const emitter = below.find(({ url }) => url !== 'node:events' && url !== 'node:domain')
  if (!emitter?.url.startsWith('node:')) return false
  return !EMITS_ALONE.some(([url, name]) => url.test(emitter.url) && name.test(emitter.name))
}
