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
  const named = [script, ...others].map(endingsOf).find((each) => each !== null)
  return {
    ending,
    isCommonJs: isCommonJs(script, ending),
    quote: quoteOf(script),
    hasSemicolons: hasSemicolons(script),
    endings:
      named ??
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

function quoteOf(script: ParsedScript): ModuleStyle['quote'] {
  const raws = nodesOf(script).flatMap((each) => (each.type === 'Literal' ? [word(each, 'raw') ?? ''] : []))
  const count = (quote: string) => raws.filter((raw) => raw.startsWith(quote)).length
  return count('"') > count("'") ? '"' : "'"
}

/** Of most statements that may have one. */
function hasSemicolons({ text, body }: ParsedScript): boolean {
  const ends = body
    .filter(({ type }) => /^(Import|Expression|Variable|ExportAll)/.test(type))
    .map(({ start, end }) => text.slice(start, end).endsWith(';'))
  return ends.filter(Boolean).length * 2 > ends.length
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
