// The functions of a script as V8 ran it, found by a position that V8 names.

import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser, type Node, type Program } from 'acorn'
import { part, parts } from './ast.js'

export type FunctionNode = Node & {
  type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression'
  id: { name: string } | null
  params: Node[]
  body: Node
  async: boolean
  generator: boolean
  expression: boolean
}

export interface ScriptFunction {
  readonly node: FunctionNode
  /** From the outermost to the function itself. */
  readonly path: readonly Node[]
}

export interface ParsedScript {
  readonly text: string
  readonly program: Program
  /** Some loaders and bundlers put all of a file into a function that they call, `(() => { ... })()`. */
  readonly wrapper: FunctionNode | null
  /** The statements of the file, of those in its wrapper. */
  readonly body: readonly Node[]
  readonly isModule: boolean
  readonly functions: readonly ScriptFunction[]
  offsetOf(line: number, column: number): number
  /** Line and column, from 0. */
  placeOf(offset: number): { line: number; column: number }
  /** The innermost function whose head (from its first word to its body) holds the offset. */
  at(offset: number): ScriptFunction | undefined
}

/** Null: the text is in a language that the parser does not know. */
export function parseScript(text: string, language: SourceLanguage = 'JavaScript'): ParsedScript | null {
  const parsed = parseAs(text, 'module', language) ?? parseAs(text, 'script', language)
  if (parsed === null) return null
  const functions = functionsOf(parsed.program)
  const lines = lineStarts(text)
  const wrapper = wrapperOf(parsed.program)
  const body = wrapper ? parts(wrapper.body, 'body') : (parsed.program.body as Node[])
  return {
    text,
    ...parsed,
    functions,
    wrapper,
    body,
    offsetOf: (line, column) => (lines[line] ?? 0) + column,
    placeOf(offset) {
      const line = lines.findLastIndex((start) => start <= offset)
      return { line, column: offset - lines[line]! }
    },
    at: (offset) =>
      functions.findLast(({ node, path }) => headStart(node, path) <= offset && offset < node.body.start),
  }
}

/** `TSX`: with elements of JSX. */
export type SourceLanguage = 'JavaScript' | 'TypeScript' | 'TSX'

const PARSERS = {
  JavaScript: Parser,
  TypeScript: Parser.extend(tsPlugin()),
  TSX: Parser.extend(tsPlugin({ jsx: {} })),
}

function parseAs(text: string, sourceType: 'module' | 'script', language: SourceLanguage) {
  const rules = { ranges: true, allowHashBang: true, allowReturnOutsideFunction: sourceType === 'script' }
  try {
    const program = PARSERS[language].parse(text, {
      ecmaVersion: 'latest',
      locations: language !== 'JavaScript',
      sourceType,
      allowAwaitOutsideFunction: true,
      ...rules,
    })
    const isModule = program.body.some(({ type }) => /^(Import|Export)/.test(type))
    return { program, isModule }
  } catch {
    return null
  }
}

function wrapperOf({ body }: Program): FunctionNode | null {
  const expressions = (body as Node[]).map((statement) => part(statement, 'expression'))
  const calls = expressions.filter((each) => !/^(Literal|AssignmentExpression)$/.test(each?.type ?? ''))
  const callee = calls.length === 1 ? part(calls[0], 'callee') : null
  const isWrapper = callee !== null && isFunction(callee) && callee.params.length === 0
  return isWrapper && callee.body.type === 'BlockStatement' ? callee : null
}

/** Of a method the name and `async` come before its function. */
function headStart(node: FunctionNode, path: readonly Node[]): number {
  const parent = path.at(-2)
  const isMethod = parent?.type === 'MethodDefinition' || (parent?.type === 'Property' && 'method' in parent)
  return isMethod && (parent as unknown as { value: Node }).value === node ? parent.start : node.start
}

/** In the order of the text, so that an inner function comes after its outer one. */
function functionsOf(program: Program): ScriptFunction[] {
  const found: ScriptFunction[] = []
  const visit = (node: Node, path: readonly Node[]) => {
    const here = [...path, node]
    if (isFunction(node)) found.push({ node, path: here })
    for (const child of childNodes(node)) visit(child, here)
  }
  visit(program, [])
  return found
}

/** From the outermost, and in the order of the text. */
export function nodesOf({ program }: ParsedScript): Node[] {
  const visit = (node: Node): Node[] => [node, ...childNodes(node).flatMap(visit)]
  return visit(program)
}

export function isFunction(node: Node): node is FunctionNode {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)
}

/** Trees are walked many times. */
const children = new WeakMap<Node, readonly Node[]>()

export function childNodes(node: Node): readonly Node[] {
  const known = children.get(node) ?? findChildren(node)
  children.set(node, known)
  return known
}

function findChildren(node: Node): Node[] {
  const isNode = (value: unknown): value is Node =>
    typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
  return Object.values(node)
    .flatMap((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter(isNode)
    .sort((a, b) => a.start - b.start)
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (const { 0: end, index } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(index + end.length)
  return starts
}
