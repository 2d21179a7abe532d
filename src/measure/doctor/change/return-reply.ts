// An asynchronous handler of Fastify that gives nothing has not answered yet, for Fastify: it would send once more where a hook still waits.
// So one that answers by `reply.send(...)` gives its reply back: https://fastify.dev/docs/latest/Reference/Routes/#async-await

import type { Node } from 'acorn'
import { memberName, part, parts, rootOf, word } from '../source/ast.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import type { Edits } from './edits.js'

const SENDS = /^(send|sendFile|redirect|view|download|callNotFound)$/

export function returnReply(edits: Edits, script: ParsedScript, { params, body }: FunctionNode): void {
  const reply = params[1]?.type === 'Identifier' ? word(params[1], 'name') : null
  if (reply === null || body.type !== 'BlockStatement') return
  if (
    !sends(body, reply) &&
    (!uses(body, reply) || returnsIn(body).some((each) => part(each, 'argument') !== null))
  )
    return
  for (const each of returnsIn(body))
    if (part(each, 'argument') === null) edits.insert(script, each.start + 'return'.length, ` ${reply}`)
  const last = parts(body, 'body').at(-1)!
  if (/^(Return|Throw)Statement$/.test(last.type)) return
  if (last.type === 'ExpressionStatement' && isSend(part(last, 'expression'), reply))
    return edits.wrap(script, last, 'return ', '')
  const [indent] = /[ \t]*$/.exec(script.text.slice(0, last.start))!
  const end = script.text.slice(last.start, last.end).endsWith(';') ? ';' : ''
  edits.insert(script, last.end, `\n${indent}return ${reply}${end}`)
}

/** Also in a callback. */
function sends(node: Node, reply: string): boolean {
  return isSend(node, reply) || childNodes(node).some((child) => sends(child, reply))
}

/** `reply.code(404).send(...)` */
function isSend(node: Node | null, reply: string): boolean {
  const callee = node?.type === 'CallExpression' ? part(node, 'callee') : null
  return SENDS.test(memberName(callee) ?? '') && word(holderOf(callee), 'name') === reply
}

/** What a chain of calls begins with. */
function holderOf(node: Node | null): Node | null {
  const inner = rootOf(node)
  return inner?.type === 'CallExpression' ? holderOf(part(inner, 'callee')) : inner
}

/** Given to a helper, or used by another name: it may answer later. */
function uses(node: Node, reply: string): boolean {
  return (
    (node.type === 'Identifier' && word(node, 'name') === reply) ||
    childNodes(node).some((child) => uses(child, reply))
  )
}

function returnsIn(node: Node): Node[] {
  if (isFunction(node)) return []
  return [...(node.type === 'ReturnStatement' ? [node] : []), ...childNodes(node).flatMap(returnsIn)]
}
