// Takes functions out of their file into one of their own, with what they use: what both sides use is imported back.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { flag, memberName, part, parts, word } from '../source/ast.js'
import { referencesTo, topVariables, undeclared } from '../source/free-names.js'
import { importOf, required } from '../source/imports.js'
import { setUpOf } from '../source/set-up.js'
import { parentOf } from '../source/parents.js'
import { isReadValue } from '../source/read-value.js'
import { childNodes, isFunction, nodesOf, type ParsedScript } from '../source/script-functions.js'
import type { AppStyle } from '../written/app-style.js'
import { typeNamesIn } from '../written/type-names.js'
import type { AppFiles } from './app-files.js'
import type { Edits } from './edits.js'
import { Refused } from './refused.js'
import { ownVariable, type UsedFunction } from './uses.js'

export interface MovedOut {
  /** Of the new file. */
  readonly text: string
  /** Names that the old file still needs of it, and those that it passes on to others. */
  readonly needed: readonly string[]
  readonly passed: readonly string[]
  /** Import statements that only the moved functions needed; they are still there. */
  readonly unneeded: readonly Node[]
}

interface Piece {
  readonly statement: Node
  readonly names: string[]
}

interface Move {
  readonly app: AppFiles
  readonly script: ParsedScript
  readonly pieces: Map<Node, Piece>
  /** Import statement -> names of it. */
  readonly imports: Map<Node, Set<string>>
  /** Types of the file itself. */
  readonly types: Set<string>
}

/**
 * @param self how the new file names the old one
 * @param isNeeded whether a function of `moved` is used by those that do not change
 * @throws Refused
 */
export function moveOut(
  { app, edits }: { app: AppFiles; edits: Edits },
  moved: readonly UsedFunction[],
  { style, self, isNeeded }: { style: AppStyle; self: string; isNeeded: (name: string) => boolean },
): MovedOut {
  const { script } = moved[0]!
  const move: Move = { app, script, pieces: new Map(), imports: new Map(), types: new Set() }
  const names = moved.map((each) => nameOf(app, each))
  for (const [index, each] of moved.entries()) take(move, ownVariable(each)!, names[index]!)
  const pieces = [...move.pieces.values()].sort((a, b) => a.statement.start - b.statement.start)
  const own = pieces.flatMap((piece) => piece.names)
  const variables = topVariables(script).filter(({ name }) => own.includes(name))
  const needed = variables.filter((each) => isUsedOutside(move, each, names)).map(({ name }) => name)
  const passed = variables
    .filter(({ name }) => isExported(script, name) && (!names.includes(name) || isNeeded(name)))
    .map(({ name }) => name)
  const given = [...new Set([...names, ...needed, ...passed])]
  const text = textOf(move, pieces, { style, self, given })
  for (const { statement } of pieces) edits.remove(script, statementRange(script, statement))
  const unneeded = dropImports(move, edits)
  exportTypes(move, edits)
  return { text, needed, passed, unneeded }
}

/** @throws Refused where it is no declaration at the top of its file */
function nameOf(app: AppFiles, used: UsedFunction): string {
  const { script, node } = used
  const variable = ownVariable(used)
  const isTop = variable !== null && topVariables(script).includes(variable)
  if (!isTop)
    throw new Refused(
      `${used.name} is no function at the top of its file, which could move out of it`,
      app.at(script, node),
    )
  return variable.name
}

function take(move: Move, variable: Variable, forWhom: string): void {
  const { app, script, pieces } = move
  const [definition] = variable.defs
  if (!definition) return
  const node = definition.node as unknown as Node
  const statement = script.body.find((each) => each.start <= node.start && node.end <= each.end)
  if (!statement) return
  if (importOf(definition, variable)) return void takeImport(move, statement, variable.name)
  if (pieces.has(statement)) return
  const declaration = part(statement, 'declaration') ?? statement
  const refuse = (why: string) =>
    new Refused(`${forWhom} uses ${variable.name}, ${why}`, app.at(script, statement))
  const names = parts(declaration, 'declarations').map((each) => word(part(each, 'id'), 'name'))
  const isPlain =
    /^(Function|Class|TSEnum)Declaration$/.test(declaration.type) ||
    (word(declaration, 'kind') === 'const' && names.length === 1 && names[0] !== null)
  if (!isPlain) throw refuse('which is declared in a way that cannot move with it')
  if (variable.references.some((each) => each.isWrite() && !each.init)) throw refuse('which changes')
  if (statement.type === 'ExportDefaultDeclaration') throw refuse('which is the default export of its file')
  takeStatement(move, statement, [variable.name], forWhom)
  for (const setUp of setUpOf(script, variable))
    if (script.body.includes(setUp)) takeStatement(move, setUp, [], forWhom)
}

/** `import.meta.filename`, and `import.meta.url` but for what lies beside it. */
function isOwnName(script: ParsedScript, node: Node): boolean {
  if (node.type !== 'MemberExpression' || part(node, 'object')?.type !== 'MetaProperty') return false
  if (memberName(node) !== 'url') return memberName(node) === 'filename'
  const parent = parentOf(script, node)!
  if (parent.type === 'NewExpression') return parts(parent, 'arguments')[1] !== node
  const outer = parentOf(script, parent)
  const nameOf = (call: Node | null) => memberName(part(call, 'callee')) ?? word(part(call, 'callee'), 'name')
  return nameOf(parent) !== 'fileURLToPath' || nameOf(outer) !== 'dirname'
}

const READS = /\bprocess\s*\.\s*env\b|\b(read|exists|l?stat|realpath)\w*Sync\b/

/** What is read when the file is loaded would be read before what was done there until then, such as to load a file of variables. */
function checkOrder({ script, app }: Move, statement: Node, forWhom: string): void {
  if (
    declarationIn(statement).type !== 'VariableDeclaration' ||
    !READS.test(script.text.slice(statement.start, statement.end))
  )
    return
  const loads = loadedModules(script)
  const isQuiet = (each: Node) =>
    loads.includes(each) ||
    isDirective(each) ||
    /^(Function|Class|TS\w*)Declaration$/.test(declarationIn(each).type) ||
    isQuietValue(script, declarationIn(each))
  const before = script.body.slice(0, script.body.indexOf(statement)).find((each) => !isQuiet(each))
  if (before)
    throw new Refused(`${forWhom} uses what is read after something else was done`, app.at(script, before))
}

/** Of `export const`, what is exported. */
const declarationIn = (statement: Node) => part(statement, 'declaration') ?? statement

/** A constant that calls nothing, or reads itself. */
function isQuietValue(script: ParsedScript, statement: Node): boolean {
  const calls = (node: Node): boolean =>
    !isFunction(node) &&
    (/^(Call|New|Await|Assignment|Update)Expression$/.test(node.type) || childNodes(node).some(calls))
  return (
    statement.type === 'VariableDeclaration' &&
    parts(statement, 'declarations').every((each) => {
      const init = part(each, 'init')
      return init === null || !calls(init) || isReadValue(script, init)
    })
  )
}

function takeStatement(move: Move, statement: Node, names: string[], forWhom: string): void {
  const { script, pieces, types, app } = move
  if (pieces.has(statement)) return
  pieces.set(statement, { statement, names })
  const isWithin = ({ start }: { start: number }) => start >= statement.start && start < statement.end
  for (const name of ['exports', 'module', '__filename'])
    // its new file lies beside it
    if (undeclared(script, name).some(isWithin))
      throw new Refused(`${forWhom} uses ${name}`, app.at(script, statement))
  const own = nodesOf(script).find((each) => isWithin(each) && isOwnName(script, each))
  if (own) throw new Refused(`${forWhom} uses the name of its file`, app.at(script, own))
  checkOrder(move, statement, forWhom)
  for (const variable of topVariables(script))
    if (
      referencesTo(script, variable).some(
        ({ identifier }) => isWithin(identifier as unknown as Node) && !names.includes(variable.name),
      )
    )
      take(move, variable, forWhom)
  for (const name of typeNamesIn(statement)) {
    const [statementOfType, isImport] = typeStatement(script, name)
    if (statementOfType && isImport) takeImport(move, statementOfType, name)
    else if (statementOfType) types.add(name)
  }
}

function takeImport({ imports }: Move, statement: Node, name: string): void {
  imports.set(statement, (imports.get(statement) ?? new Set()).add(name))
}

function typeStatement(script: ParsedScript, name: string): [Node | null, boolean] {
  for (const statement of script.body) {
    if (specifiersOf(statement).some((each) => localOf(each) === name)) return [statement, true]
    const declaration = part(statement, 'declaration') ?? statement
    if (
      /^TS(Interface|TypeAlias|Enum)Declaration$/.test(declaration.type) &&
      word(part(declaration, 'id'), 'name') === name
    )
      return [statement, false]
  }
  return [null, false]
}

function isInPieces({ pieces }: Move, { start }: { start: number }): boolean {
  return [...pieces.keys()].some((each) => start >= each.start && start < each.end)
}

/** Calls of what moves go to the pool; of the rest its old file needs it still. */
function isUsedOutside(move: Move, variable: Variable, moved: readonly string[]): boolean {
  if (moved.includes(variable.name)) return false
  return variable.references.some(
    (each) => !each.init && !isInPieces(move, each.identifier as unknown as Node),
  )
}

function isExported(script: ParsedScript, name: string): boolean {
  return script.body.some((statement) => {
    const declaration = part(statement, 'declaration')
    const names = [
      part(declaration, 'id'),
      ...parts(declaration, 'declarations').map((each) => part(each, 'id')),
    ]
    return statement.type === 'ExportNamedDeclaration' && names.some((each) => word(each, 'name') === name)
  })
}

interface Written {
  readonly style: AppStyle
  readonly self: string
  readonly given: readonly string[]
}

function textOf(move: Move, pieces: readonly Piece[], { style, self, given }: Written): string {
  const { script, imports, types } = move
  const end = style.hasSemicolons ? ';' : ''
  const { quote } = style
  const head = [...imports]
    .sort(([a], [b]) => a.start - b.start)
    .map(([statement, names]) => importText(script, statement, { names, style }))
  if (types.size > 0) head.push(`import type { ${[...types].join(', ')} } from ${quote}${self}${quote}${end}`)
  const bodies = pieces.map(({ statement, names }) => {
    const { start } = statementRange(script, statement)
    const declaration = part(statement, 'declaration') ?? statement
    const comment = script.text.slice(start, statement.start)
    const isGiven = !style.isCommonJs && names.some((name) => given.includes(name))
    return `${comment}${isGiven ? 'export ' : ''}${script.text.slice(declaration.start, statement.end)}`
  })
  const last = style.isCommonJs ? [`module.exports = { ${given.join(', ')} }${end}`] : []
  return [...(head.length > 0 ? [head.join('\n')] : []), ...bodies, ...last].join('\n\n') + '\n'
}

interface ImportPart {
  readonly names: ReadonlySet<string>
  readonly style: AppStyle
}

/** As it stands where all of it is needed. */
function importText(script: ParsedScript, statement: Node, { names, style }: ImportPart): string {
  const whole = script.text.slice(statement.start, statement.end)
  const specifiers = specifiersOf(statement)
  const kept = specifiers.filter((each) => names.has(localOf(each)))
  return kept.length === specifiers.length ? whole : rewritten(script, statement, kept, style)
}

/** Specifiers of an import, or what `const { a, b } = require(...)` and `const a = require(...)` name. */
function specifiersOf(statement: Node): Node[] {
  if (statement.type === 'ImportDeclaration') return parts(statement, 'specifiers')
  const [declarator, ...others] = parts(statement, 'declarations')
  if (!declarator || others.length > 0) return []
  const id = part(declarator, 'id')!
  return id.type === 'ObjectPattern' ? parts(id, 'properties') : [id]
}

function localOf(specifier: Node): string {
  return word(part(specifier, 'local') ?? part(specifier, 'value') ?? specifier, 'name') ?? ''
}

function rewritten(script: ParsedScript, statement: Node, kept: readonly Node[], style: AppStyle): string {
  const end = style.hasSemicolons ? ';' : ''
  const text = ({ start, end: to }: Node) => script.text.slice(start, to)
  const [declarator] = parts(statement, 'declarations')
  if (declarator) return `const { ${kept.map(text).join(', ')} } = ${text(part(declarator, 'init')!)}${end}`
  const named = kept.filter(({ type }) => type === 'ImportSpecifier')
  const others = kept.filter(({ type }) => type !== 'ImportSpecifier').map(text)
  const list = [...others, ...(named.length > 0 ? [`{ ${named.map(text).join(', ')} }`] : [])].join(', ')
  const kind = word(statement, 'importKind') === 'type' ? 'type ' : ''
  return `import ${kind}${list} from ${text(part(statement, 'source')!)}${end}`
}

/** What only the moved functions used. Gives statements of which nothing is left. */
function dropImports(move: Move, edits: Edits): Node[] {
  const { script, imports } = move
  const unneeded: Node[] = []
  for (const [statement, names] of imports) {
    const specifiers = specifiersOf(statement)
    const kept = specifiers.filter(
      (each) => !names.has(localOf(each)) || isUsedElsewhere(move, localOf(each)),
    )
    if (kept.length === specifiers.length) continue
    if (kept.length === 0) unneeded.push(statement)
    else edits.replace(script, statement, rewritten(script, statement, kept, styleOfText(script)))
  }
  return unneeded
}

function styleOfText(script: ParsedScript): AppStyle {
  return { hasSemicolons: /;\s*$/m.test(script.text.slice(0, script.body[0]?.end ?? 0)) } as AppStyle
}

function isUsedElsewhere(move: Move, name: string): boolean {
  const { script } = move
  const variable = topVariables(script).find((each) => each.name === name)
  const isValue = variable?.references.some(
    (each) => !each.init && !isInPieces(move, each.identifier as unknown as Node),
  )
  const others = script.body.filter((each) => !move.pieces.has(each) && each.type !== 'ImportDeclaration')
  return isValue === true || others.some((each) => typeNamesIn(each).has(name))
}

/** The new file names them. */
function exportTypes({ script, types, app }: Move, edits: Edits): void {
  for (const name of types) {
    const [statement] = typeStatement(script, name)
    const declaration = part(statement, 'declaration') ?? statement!
    if (declaration.type === 'TSEnumDeclaration')
      throw new Refused(`the enum ${name} is used on both sides`, app.at(script, statement!))
    if (statement!.type !== 'ExportNamedDeclaration') edits.insert(script, statement!.start, 'export ')
  }
}

/** With the comment right before it, and the line end after it. */
export function statementRange(
  { text, body }: ParsedScript,
  statement: Node,
): { start: number; end: number } {
  const before = body[body.indexOf(statement) - 1]?.end ?? 0
  const between = text.slice(before, statement.start)
  const comment =
    /(?:^|\n)((?:[ \t]*(?:\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)[ \t]*\n)+)[ \t]*$/.exec(between)?.[1] ?? ''
  const after = /^[ \t]*(?:;|\/\/[^\n]*)?[ \t]*(\r?\n){0,2}/.exec(text.slice(statement.end))![0]
  const isComment = /\/\//.test(after)
  return { start: statement.start - comment.length, end: statement.end + (isComment ? 0 : after.length) }
}

/** Statements that load others, at the top of a file. */
export function loadedModules(script: ParsedScript): Node[] {
  return script.body.filter((each) => {
    if (each.type === 'ImportDeclaration') return true
    const inits = parts(each, 'declarations').map((one) => part(one, 'init'))
    return (
      inits.length > 0 &&
      inits.every((init) => required(init) !== null || required(part(init, 'object')) !== null)
    )
  })
}

export function isDirective(statement: Node): boolean {
  return flag(statement, 'directive') || word(statement, 'directive') !== null
}
