// A function of the app as a module of its own: its text and that of all that it uses, without what else its files do when they are loaded.
//
// Each file that it reaches becomes a module with no more than the declarations that are needed. So no server is started, and no pool made,
// when a task is loaded.

import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import type { Node } from 'acorn'
import type { Definition, Variable } from 'eslint-scope'
import { flag, memberName, part, parts, word } from '../source/ast.js'
import { enumCallOf } from '../source/enums.js'
import { referencesTo, topVariable, topVariables, undeclared } from '../source/free-names.js'
import {
  exportedNode,
  importOf,
  isExportsMember,
  isOfUser,
  type FindScript,
  type Imported,
} from '../source/imports.js'
import { passedOn } from '../source/re-exports.js'
import { parentOf } from '../source/parents.js'
import { setUpOf } from '../source/set-up.js'
import { nodesOf, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

/** Something that a module has of another one. */
export interface ImportLine {
  /** `default`, `*`, a name, or nothing: it is loaded alone. */
  readonly exported: string
  readonly local: string
  /** A package, or a path from the folder of the modules. */
  readonly from: string
  readonly kind: 'import' | 'export' | 'type' | 'json'
}

/** What is taken of a file: the parts of a module. */
export interface ExtractedFile {
  readonly script: ParsedScript
  readonly name: string
  readonly imports: readonly ImportLine[]
  /** In the order of the file. */
  readonly pieces: readonly string[]
  readonly usesRequire: boolean
  readonly usesExports: boolean
  /** Its text names the place of its file, by SOURCE. */
  readonly usesPlace: boolean
  /** Exported name -> local name. */
  readonly exports: ReadonlyMap<string, string>
  /** Classes to be registered, as it names them, and its name for `registerClass`. */
  readonly registers: readonly string[]
  readonly register: string
}

export interface ExtractPlan {
  /** Of the task, and of its files. */
  readonly name: string
  readonly findScript: FindScript
  /** Of a file: its path from the folder of the modules, with forward slashes. */
  readonly pathOf: (script: ParsedScript) => string
  /** Statements of the top level of files that set up what the task uses. */
  readonly setUps?: readonly { script: ParsedScript; node: Node }[]
  /** Classes to be registered, as a file that is taken names them. */
  readonly registers?: readonly { script: ParsedScript; text: string }[]
  /** Whether a file is imported as it is, in place of a copy of what is needed. */
  readonly isWhole?: (script: ParsedScript) => boolean
  /** How the copy of a file is called, by its name without an ending. Default: an ES module. */
  readonly nameOf?: (stem: string, script: ParsedScript) => string
  /** How another file is named in an import, by its path. Default: by that. */
  readonly specifierOf?: (path: string, script: ParsedScript) => string
  /** What else a piece of a file needs, such as types. */
  readonly more?: (script: ParsedScript, piece: Node, take: TakeMore) => void
}

export interface TakeMore {
  /** Another piece of the same file. */
  readonly piece: (node: Node) => void
  /** What declares a variable of the file. */
  readonly variable: (variable: Variable) => void
  readonly line: (line: ImportLine) => void
}

/** What is taken of one file. */
interface Taken {
  readonly fileName: string
  readonly variables: Set<Variable>
  /** Text by its place in the file, so that the order stays. */
  readonly texts: Map<number, string>
  readonly imports: Map<string, ImportLine>
  /** Its text calls `require`. */
  usesRequire: boolean
  /** Its text reads `exports`. */
  usesExports: boolean
  /** Its text names the place of its file. */
  usesPlace: boolean
  /** Classes, as it names them. */
  readonly registers: Set<string>
  /** Its name for `registerClass`. */
  readonly register: string
  /** Exported name -> local name. */
  readonly exports: Map<string, string>
}

/** The place of the file that the text is of: that of the module is another one. */
export const SOURCE: Readonly<Record<string, string>> = {
  __filename: '__sourceFilename',
  __dirname: '__sourceDirname',
  filename: '__sourceFilename',
  dirname: '__sourceDirname',
  url: '__sourceUrl',
}

/** Something that it uses is declared in a way that is not followed. */
class CannotExtract extends Error {}

interface Walk {
  readonly plan: ExtractPlan
  /** In the order in which they were reached. */
  readonly files: Map<ParsedScript, Taken>
}

/** That of the task first, then those that it imports; null where that is not possible. */
export function extractFiles(
  script: ParsedScript,
  node: FunctionNode,
  plan: ExtractPlan,
): ExtractedFile[] | null {
  const walk: Walk = { plan, files: new Map() }
  try {
    takeFunction(walk, script, node)
    for (const setUp of plan.setUps ?? []) takeSetUp(walk, script, setUp)
    for (const each of plan.registers ?? []) takeRegistration(walk, each.script, each.text)
  } catch (error) {
    if (error instanceof CannotExtract) return null
    throw error
  }
  return [...walk.files].map(([each, taken]): ExtractedFile => {
    const { fileName: name, imports, texts, registers, ...rest } = taken
    const pieces = [...texts].sort(([a], [b]) => a - b).map(([, text]) => text)
    return { script: each, name, imports: [...imports.values()], pieces, ...rest, registers: [...registers] }
  })
}

function takenOf({ plan, files }: Walk, script: ParsedScript): Taken {
  const known = files.get(script)
  if (known) return known
  const { name } = plan
  const stem = files.size === 0 ? `${name}.tasks` : `${name}.${stemOf(plan.pathOf(script), files.size)}`
  const fileName = plan.nameOf?.(stem, script) ?? `${stem}.mjs`
  const taken: Taken = {
    fileName,
    variables: new Set(),
    texts: new Map(),
    imports: new Map(),
    usesRequire: false,
    usesExports: false,
    usesPlace: false,
    exports: new Map(),
    registers: new Set(),
    register: topVariable(script, REGISTER) ? freeName(script, REGISTER) : REGISTER,
  }
  files.set(script, taken)
  return taken
}

function takeFunction(walk: Walk, script: ParsedScript, node: FunctionNode): void {
  const { name } = walk.plan
  const declared = topVariables(script).find(({ defs: [definition] }) => isDeclarationOf(definition, node))
  const local = declared?.name ?? freeName(script, name)
  takenOf(walk, script).exports.set(name, local)
  if (declared) takeVariable(walk, script, { variable: declared, use: null })
  else takeText(walk, script, { node, before: `const ${local} = (${methodWord(script, node)}`, after: ')' })
}

function takeSetUp(walk: Walk, script: ParsedScript, setUp: { script: ParsedScript; node: Node }): void {
  takeText(walk, setUp.script, { node: setUp.node })
  if (setUp.script !== script)
    addImport(walk, script, { exported: '', local: '', from: copyOf(walk, setUp.script), kind: 'import' })
}

const REGISTER = 'registerClass'

/** What only a package throws at it may be of a file that is not taken. */
function takeRegistration(walk: Walk, script: ParsedScript, text: string): void {
  if (!walk.files.has(script)) return
  const variable = topVariable(script, /^[^.]*/.exec(text)![0])
  if (variable && !text.includes('.')) takeVariable(walk, script, { variable, use: null })
  takenOf(walk, script).registers.add(text)
}

/** What the text of a method lacks to be a function. */
function methodWord(script: ParsedScript, node: FunctionNode): string {
  const parent = parentOf(script, node)
  const isMethod =
    parent?.type === 'MethodDefinition' || (parent?.type === 'Property' && flag(parent, 'method'))
  return isMethod ? `${node.async ? 'async ' : ''}function ` : ''
}

interface Piece {
  readonly node: Node
  readonly before?: string
  readonly after?: string
}

function addImport(walk: Walk, script: ParsedScript, line: ImportLine): void {
  takenOf(walk, script).imports.set(JSON.stringify(line), line)
}

/** How the copy of a file is imported. */
function copyOf(walk: Walk, script: ParsedScript): string {
  const path = `./${takenOf(walk, script).fileName}`
  return walk.plan.specifierOf?.(path, script) ?? path
}

/** With all of the file that it uses. */
function takeText(walk: Walk, script: ParsedScript, { node, before = '', after = '' }: Piece): void {
  const taken = takenOf(walk, script)
  const { texts } = taken
  if (texts.has(node.start)) return
  const places = placesIn(script, node)
  taken.usesPlace ||= places.length > 0
  texts.set(node.start, `${before}${withPlaces(script, node, places)}${after}`)
  for (const variable of topVariables(script))
    for (const { identifier } of referencesTo(script, variable)) {
      const use = identifier as unknown as Node
      const isWithin = use.start >= node.start && use.start < node.end
      if (isWithin) takeVariable(walk, script, { variable, use })
    }
  for (const use of undeclared(script, 'exports'))
    if (use.start >= node.start && use.start < node.end) takeOwnExport(walk, script, use)
  walk.plan.more?.(script, node, {
    piece: (each) => takeText(walk, script, { node: each }),
    variable: (variable) => takeVariable(walk, script, { variable, use: null }),
    line: (line) => addImport(walk, script, line),
  })
}

interface NamedPlace {
  readonly node: Node
  readonly name: string
}

/** `__dirname`, `import.meta.url`, the first one first. */
function placesIn(script: ParsedScript, { start, end }: Node): NamedPlace[] {
  const all = ['__dirname', '__filename'].flatMap((name) =>
    undeclared(script, name).map((node) => ({ node, name: SOURCE[name]! })),
  )
  for (const node of nodesOf(script)) {
    const name = SOURCE[memberName(node) ?? '']
    if (name && part(node, 'object')?.type === 'MetaProperty') all.push({ node, name })
  }
  const within = all.filter(({ node }) => node.start >= start && node.start < end)
  return within.sort((a, b) => a.node.start - b.node.start)
}

function withPlaces(script: ParsedScript, { start, end }: Node, places: readonly NamedPlace[]): string {
  let text = ''
  let from = start
  for (const { node, name } of places) {
    const parent = parentOf(script, node)
    const key = parent?.type === 'Property' && flag(parent, 'shorthand') ? `${word(node, 'name')}: ` : ''
    text += script.text.slice(from, node.start) + key + name
    from = node.end
  }
  return text + script.text.slice(from, end)
}

/** `exports.K = 3`, where the file uses `exports.K` itself. */
function takeOwnExport(walk: Walk, script: ParsedScript, use: Node): void {
  takenOf(walk, script).usesExports = true
  const name = memberName(parentOf(script, use))
  for (const statement of script.body) {
    const assignment = part(statement, 'expression')
    const isIts = name !== null && isExportsMember(part(assignment, 'left'), name)
    if (isIts) takeText(walk, script, { node: statement })
  }
}

interface Use {
  readonly variable: Variable
  /** Where it is used; null: it is exported. */
  readonly use: Node | null
}

function takeVariable(walk: Walk, script: ParsedScript, { variable, use }: Use): void {
  const [definition] = variable.defs
  if (definition === undefined) return // such as `arguments` of CommonJS
  const imported = importOf(definition, variable)
  if (imported) return takeImport(walk, script, { imported, variable, use })
  const { variables } = takenOf(walk, script)
  if (variables.has(variable)) return
  variables.add(variable)
  const node = definition.node as unknown as Node
  for (const statement of setUpOf(script, variable)) takeText(walk, script, { node: statement })
  if (definition.type === 'Variable') takeEnum(walk, script, variable)
  if (definition.type === 'Variable')
    return takeText(walk, script, { node, before: `${word(definition.parent as unknown as Node, 'kind')} ` })
  if (definition.type !== 'FunctionName' && definition.type !== 'ClassName') throw new CannotExtract()
  takeText(walk, script, { node })
}

/** What fills an enum; without `exports`, which a module does not have. */
function takeEnum(walk: Walk, script: ParsedScript, variable: Variable): void {
  const call = enumCallOf(script, variable)
  if (!call) return
  const { name } = variable
  const { start, end } = part(call, 'callee')!
  takenOf(walk, script).texts.set(call.start, `(${script.text.slice(start, end)})(${name} ||= {});`)
}

interface Import extends Use {
  readonly imported: Imported
}

function takeImport(walk: Walk, script: ParsedScript, { imported, variable, use }: Import): void {
  const taken = takenOf(walk, script)
  const { module, exported } = imported
  const [definition] = variable.defs
  const node = definition!.node as unknown as Node
  const other = isBuiltin(module) ? null : walk.plan.findScript(script, module)
  if (!other && (!isOfUser(module) || module.endsWith('.json'))) {
    if (definition!.type === 'ImportBinding') return importPackage(walk, script, { imported, variable })
    taken.usesRequire = true
    return takeText(walk, script, { node, before: `${word(definition!.parent as unknown as Node, 'kind')} ` })
  }
  if (!other) throw new CannotExtract()
  const member = exported === '*' ? memberOf(script, use) : null
  const wanted = exported === '*' ? (member ?? 'default') : exported
  if (walk.plan.isWhole?.(other))
    return importWhole(walk, script, { other, wanted: member === null ? wanted : '*', local: variable.name })
  takeExport(walk, other, wanted)
  addImport(walk, script, {
    exported: member === null ? wanted : '*',
    local: variable.name,
    from: copyOf(walk, other),
    kind: 'import',
  })
}

interface Whole {
  readonly other: ParsedScript
  /** `*`: all that it exports. */
  readonly wanted: string
  readonly local: string
}

function importWhole(walk: Walk, script: ParsedScript, { other, wanted, local }: Whole): void {
  const path = walk.plan.pathOf(other)
  const from = walk.plan.specifierOf?.(path, other) ?? path
  addImport(walk, script, { exported: wanted, local, from, kind: 'import' })
}

function takeExport(walk: Walk, script: ParsedScript, wanted: string): void {
  const { exports } = takenOf(walk, script)
  if (exports.has(wanted)) return
  const found = exportedNode(script, wanted)
  if (!found) return passExport(walk, script, wanted)
  const local = found.variable?.name ?? freeName(script, wanted)
  exports.set(wanted, local)
  if (found.variable) takeVariable(walk, script, { variable: found.variable, use: null })
  else takeText(walk, script, { node: found.node, before: `const ${local} = (`, after: ')' })
}

/** Of a file that has it from another one. */
function passExport(walk: Walk, script: ParsedScript, wanted: string): void {
  const passed = passedOn(script, wanted, walk.plan)
  if (!passed) throw new CannotExtract()
  takeExport(walk, passed.script, passed.exported)
  addImport(walk, script, {
    exported: passed.exported,
    local: wanted,
    from: copyOf(walk, passed.script),
    kind: 'export',
  })
}

function isDeclarationOf(definition: Definition | undefined, node: FunctionNode): boolean {
  if (definition === undefined) return false
  const declaration = definition.node as unknown as Node
  const init = part(declaration, 'init')
  return declaration === node || init === node || parts(init, 'arguments')[0] === (node as Node)
}

function importPackage(
  walk: Walk,
  script: ParsedScript,
  { imported, variable: { name } }: Omit<Import, 'use'>,
): void {
  const { module, exported } = imported
  const { plan } = walk
  const isFile = isOfUser(module)
  const from = isFile ? besideOf(plan.pathOf(script), module) : module
  addImport(walk, script, { exported, local: name, from, kind: isFile ? 'json' : 'import' })
}

/** The path of another file, from where the first one's path is told. */
function besideOf(path: string, module: string): string {
  const joined = posix.join(posix.dirname(path), module)
  return joined.startsWith('.') ? joined : `./${joined}`
}

function memberOf(script: ParsedScript, use: Node | null): string | null {
  const parent = use && parentOf(script, use)
  return parent && part(parent, 'object') === use ? memberName(parent) : null
}

/** Of what has no name in its file, or one that could be a word of the language. */
function freeName(script: ParsedScript, exported: string): string {
  const name = `${exported}Task`
  return topVariable(script, name) ? freeName(script, name) : name
}

function stemOf(path: string, index: number): string {
  const stem = path.replace(/^.*\//, '').replace(/\.[^.]*$/, '')
  return `${stem.replace(/[^\w-]+/g, '-')}-${index}`
}
