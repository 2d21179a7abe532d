// Who else changes what a function reads: functions of any file of the user, which it does not call, and which may not have run while doctor looked.

import type { Node } from 'acorn'
import { findAliases, type AliasWrite, type Aliases } from './alias-writes.js'
import { homeKey, homeOf, moduleOf, type HomeVariable } from './definitions.js'
import { memberName, part } from '../source/ast.js'
import { isWithinFunction } from '../source/constants.js'
import { topVariables } from '../source/free-names.js'
import { required, type FindScript } from '../source/imports.js'
import { findExport } from '../source/re-exports.js'
import { parentOf } from '../source/parents.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

interface Index {
  readonly files: Set<ParsedScript>
  /** By a variable of a file: the functions in which it is named, the outermost ones. */
  readonly byVariable: Map<unknown, Map<FunctionNode, ParsedScript>>
  readonly aliases: Map<FunctionNode, Aliases>
}

const known = new WeakMap<FindScript, Index>()

/** A variable of a file, or all that a CommonJS file exports. */
export type ReadByIt = HomeVariable | { readonly script: ParsedScript; readonly variable: null }

/** @param own what the function calls itself */
export function writtenElsewhere(
  home: ReadByIt,
  own: ReadonlyMap<FunctionNode, ParsedScript>,
  findScript: FindScript,
): AliasWrite | null {
  const index = indexOf(findScript)
  if (!index.files.has(home.script)) addScript(index, home.script, { findScript, isLate: false })
  const { byVariable, aliases } = index
  const isIts = (write: AliasWrite) => isWriteTo(write, home, findScript)
  const functions = [
    ...((home.variable && byVariable.get(homeKey(home))) ?? []),
    ...(byVariable.get(home.script) ?? []),
  ]
  for (const [node, script] of functions) {
    if (own.has(node)) continue
    const found = aliases.get(node) ?? findAliases(script, node, { findScript, isShallow: true })
    aliases.set(node, found)
    const write = found.writes.find(isIts)
    if (write) return write
  }
  return null
}

/** Of all that a file exports a write to one name is to that alone: to what was there when it was loaded, or it is nobody's. */
function isWriteTo({ origin, node }: AliasWrite, home: ReadByIt, findScript: FindScript): boolean {
  if ('home' in origin) return home.variable !== null && homeKey(origin.home) === homeKey(home)
  if (!('exportsOf' in origin) || origin.exportsOf !== home.script) return false
  const name = node.type === 'MemberExpression' && isExports(part(node, 'object')) ? memberName(node) : null
  return name === null || (home.variable === null && findExport(home.script, name, findScript) !== null)
}

/** Not of what a file exports a part. */
function isExports(node: Node | null): boolean {
  return node?.type === 'Identifier' || required(node) !== null || memberName(node) === 'exports'
}

function indexOf(findScript: FindScript): Index {
  const index = known.get(findScript) ?? { files: new Set(), byVariable: new Map(), aliases: new Map() }
  if (known.has(findScript)) return index
  known.set(findScript, index)
  const loaded = new Set(findScript.all?.() ?? [])
  const waiting = new Set(loaded)
  // What a function loads later is in none of the loaded files, and all that it does comes later.
  for (const script of waiting) {
    addScript(index, script, { findScript, isLate: !loaded.has(script) })
    for (const other of loadedBy(script, findScript)) waiting.add(other)
  }
  return index
}

interface Adding {
  readonly findScript: FindScript
  readonly isLate: boolean
}

/** Names of what is imported as a whole stand for all that it exports. */
function addScript({ byVariable, files }: Index, script: ParsedScript, { findScript, isLate }: Adding): void {
  files.add(script)
  const all = { ...script.program, params: [], body: script.body } as unknown as FunctionNode
  const add = (key: unknown, use: Node) => {
    const node = outermost(script, use) ?? (isLate ? all : null)
    if (node === null) return
    const functions = byVariable.get(key) ?? new Map<FunctionNode, ParsedScript>()
    byVariable.set(key, functions.set(node, script))
  }
  for (const variable of topVariables(script))
    for (const { identifier, init } of variable.references) {
      const use = identifier as unknown as Node
      if (init || !(isLate || isWithinFunction(script, use))) continue
      const home = homeOf(script, variable, findScript)
      if (home) add(homeKey(home), use)
      const module = moduleOf(script, use, findScript)
      if (module) add(module, use)
    }
  for (const call of requiring(script)) {
    const other = findScript(script, required(call)!)
    if (other) add(other, call)
  }
}

/** By `import()` and `require` of a name that is written there. */
function loadedBy(script: ParsedScript, findScript: FindScript): ParsedScript[] {
  const named = (node: Node): string[] => {
    const source = node.type === 'ImportExpression' ? part(node, 'source') : null
    const value = (source as { value?: unknown } | null)?.value ?? required(node)
    return [...(typeof value === 'string' ? [value] : []), ...childNodes(node).flatMap(named)]
  }
  if (!/\b(require|import)\s*\(/.test(script.text)) return []
  return named(script.program).flatMap((each) => findScript(script, each) ?? [])
}

function requiring(script: ParsedScript): Node[] {
  return script.text.includes('require(') ? requiredIn(script.program) : []
}

function requiredIn(node: Node): Node[] {
  const inner = childNodes(node).flatMap(requiredIn)
  return required(node) === null ? inner : [node, ...inner]
}

/** Null: it is in the top level. */
function outermost(script: ParsedScript, node: Node): FunctionNode | null {
  let found: FunctionNode | null = null
  for (let around = parentOf(script, node); around !== null; around = parentOf(script, around))
    if (isFunction(around) && around !== script.wrapper) found = around
  return found
}
