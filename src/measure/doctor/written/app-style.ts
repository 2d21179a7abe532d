// How a file of the app is written: its language and kind of module, its quotes and semicolons, and how it names other files.

import { dirname, extname } from 'node:path'
import type { Node } from 'acorn'
import { isModulePackage } from '../../../user/is-module-package.js'
import { part, parts, word } from '../source/ast.js'
import { required } from '../source/imports.js'
import { nodesOf, type ParsedScript } from '../source/script-functions.js'
import type { ModuleStyle } from './format-module.js'

export interface AppStyle extends ModuleStyle {
  /** Of its file, such as ".ts". */
  readonly ending: string
  /** The ending by which it names other files: that which they have, that which a compiler gives them, or none. */
  readonly endings: 'own' | 'compiled' | 'none'
}

interface Written {
  readonly script: ParsedScript
  readonly path: string
  /** Node.js runs it as it is. */
  readonly isRun: boolean
}

/** @param others files of the app that tell what it does not */
export function styleOf({ script, path, isRun }: Written, others: readonly ParsedScript[]): AppStyle {
  const ending = extname(path)
  const first = <Value>(of: (script: ParsedScript) => Value | null) =>
    [script, ...others].map(of).find((each) => each !== null)
  return {
    ending,
    isCommonJs: isCommonJs(script, ending),
    quote: first(quoteOf) ?? "'",
    hasSemicolons: first(hasSemicolons) ?? false,
    endings:
      first(endingsOf) ??
      (isRun && !isCommonJs(script, ending) ? 'own' : isModulePackage(dirname(path)) ? 'compiled' : 'none'),
  }
}

/** The ending of a module beside others in a folder: Node.js tells the kind of a module of `.js` by its package. */
export function endingIn(folder: string, { ending, isCommonJs }: AppStyle): string {
  if (ending !== '.js' || isModulePackage(folder) !== isCommonJs) return ending
  return isCommonJs ? '.cjs' : '.mjs'
}

/** How a file names another one. */
export function specifierIn({ endings }: AppStyle, path: string): string {
  if (endings === 'own') return path
  if (endings === 'none') return path.replace(/(\/index)?\.[jt]sx?$/, '')
  return path.replace(/\.([cm]?)tsx?$/, '.$1js')
}

export function isTypeScript({ ending }: Pick<AppStyle, 'ending'>): boolean {
  return /^\.[cm]?tsx?$/.test(ending)
}

/** TypeScript has the syntax of ES modules also where it becomes CommonJS. */
function isCommonJs({ isModule }: ParsedScript, ending: string): boolean {
  return !isModule && (!isTypeScript({ ending }) || ending === '.cts')
}

/** Of its imports, where it has some; null: it has no text. */
function quoteOf(script: ParsedScript): ModuleStyle['quote'] | null {
  const nodes = nodesOf(script)
  const imports = nodes.flatMap((each) => (/^(Import|Export)/.test(each.type) ? part(each, 'source') : null) ?? []) // prettier-ignore
  const quotes = (literals: readonly Node[]) =>
    literals.flatMap((each) => /^["']/.exec(word(each, 'raw') ?? '')?.[0] ?? [])
  const ofImports = quotes(imports)
  const all = ofImports.length > 0 ? ofImports : quotes(nodes.filter(({ type }) => type === 'Literal'))
  if (all.length === 0) return null
  return all.filter((quote) => quote === '"').length * 2 > all.length ? '"' : "'"
}

/** Of most statements that may have one; null: there is none. */
function hasSemicolons(script: ParsedScript): boolean | null {
  const ends = nodesOf(script)
    .filter(({ type }) => /^(ImportDecl|ExpressionSt|ExportAll|Return|Throw)/.test(type))
    .map(({ start, end }) => script.text.slice(start, end).endsWith(';'))
  const declared = script.body
    .filter(({ type }) => type === 'VariableDeclaration')
    .map(({ start, end }) => script.text.slice(start, end).endsWith(';'))
  const all = [...ends, ...declared]
  return all.length === 0 ? null : all.filter(Boolean).length * 2 > all.length
}

/** Null: it names no other file. */
function endingsOf(script: ParsedScript): AppStyle['endings'] | null {
  const paths = nodesOf(script)
    .flatMap((each) => specifiersOf(each))
    .filter((each) => /^\.\.?\//.test(each))
  if (paths.length === 0) return null
  const bare = paths.filter((path) => !/\.[cm]?[jt]sx?$/.test(path) && !path.endsWith('.json'))
  if (bare.length * 2 > paths.length) return 'none'
  return paths.some((path) => /\.[cm]?tsx?$/.test(path)) ? 'own' : 'compiled'
}

function specifiersOf(node: Node): string[] {
  if (/^(Import|ExportAll|ExportNamed)Declaration$/.test(node.type)) {
    const source = part(node, 'source') as unknown as { value?: unknown } | null
    return source ? [String(source.value)] : []
  }
  const module =
    node.type === 'CallExpression' && parts(node, 'arguments').length === 1 ? required(node) : null
  return module === null ? [] : [module]
}
