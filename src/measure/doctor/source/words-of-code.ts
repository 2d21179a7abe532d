// The words that stand in the user's code as such: names of fields, and texts that something is compared with.

import type { Node } from 'acorn'
import { flag, part, word } from './ast.js'
import type { ParsedScript } from './script-functions.js'

export interface WordsOfCode {
  readonly names: ReadonlySet<string>
  /** `kind === 'html'`, and the cases of a `switch`. */
  readonly choices: ReadonlySet<string>
}

export function wordsOfCode(scripts: readonly (ParsedScript | null)[]): WordsOfCode {
  const names = new Set<string>()
  const choices = new Set<string>()
  const add = (set: Set<string>, node: Node | null) => {
    const text = node?.type === 'Literal' ? word(node, 'value') : null
    if (text !== null) set.add(text)
  }
  const waiting: Node[] = scripts.flatMap((script) => script?.program ?? [])
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const name = node.type === 'Identifier' ? word(node, 'name') : null
    if (name !== null) names.add(name)
    if (/^(Property|PropertyDefinition|MethodDefinition)$/.test(node.type)) add(names, part(node, 'key'))
    if (node.type === 'MemberExpression' && flag(node, 'computed')) add(names, part(node, 'property'))
    if (node.type === 'SwitchCase') add(choices, part(node, 'test'))
    if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(word(node, 'operator') ?? ''))
      for (const side of ['left', 'right']) add(choices, part(node, side))
    for (const child of Object.values(node) as unknown[]) {
      if (Array.isArray(child)) for (const each of child as unknown[]) pushNode(waiting, each)
      else pushNode(waiting, child)
    }
  }
  return { names, choices }
}

function pushNode(waiting: Node[], value: unknown): void {
  if (typeof value === 'object' && value !== null && typeof (value as Node).type === 'string')
    waiting.push(value as Node)
}
