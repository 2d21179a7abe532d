// The modules of a task as they can be committed: in the language and the style of the app.
//
//   its file does nothing but declare, and exports it     the module passes it on from there
//   otherwise                                             a copy of it, with what it uses; of other files what they export where they do nothing
//                                                         but declare, and else copies too

import { relative, sep } from 'node:path'
import type { Node } from 'acorn'
import type { AppScript } from '../source/app-script.js'
import type { UserFiles } from '../source/find-script.js'
import { topVariable, topVariables } from '../source/free-names.js'
import { exportedNode, importOf } from '../source/imports.js'
import { judgeSource } from '../effects/judge-source.js'
import type { FunctionNode, ParsedScript } from '../source/script-functions.js'
import { isHarmless } from '../source/harmless-file.js'
import { isToRegister } from '../thrown/judge-errors.js'
import { codeOf, thrownClasses, type Registration } from '../thrown/thrown-classes.js'
import { endingIn, isTypeScript, specifierIn, styleOf, type AppStyle } from './app-style.js'
import { extractFiles, type ExtractedFile, type ExtractPlan, type ImportLine } from './extract-module.js'
import { formatModule, type ModuleFile } from './format-module.js'
import { createOriginals, type Original, type Originals } from './original-scripts.js'
import { takeTypes } from './type-names.js'

export interface TaskPlan {
  readonly name: string
  /** Of the modules. */
  readonly folder: string
  readonly setUps: readonly { script: ParsedScript; node: Node }[]
  /** Classes of thrown errors, by real calls too. */
  readonly registers: readonly Registration[]
}

export interface TaskFiles {
  /** That of the task first. */
  readonly files: readonly ModuleFile[]
  readonly isTypeScript: boolean
}

/** Null: its source is not found, or it uses something that is not followed there. */
export type WriteTask = (script: AppScript, node: FunctionNode, plan: TaskPlan) => TaskFiles | null

export function createTaskWriter(scripts: readonly AppScript[]): WriteTask {
  const originals = createOriginals()
  return (script, node, plan) => {
    try {
      const found = originals.functionOf(script, node)
      return found && filesOf({ originals, scripts, plan }, script, found)
    } catch {
      return null // the analyses are made for JavaScript
    }
  }
}

interface Around {
  readonly originals: Originals
  readonly scripts: readonly AppScript[]
  readonly plan: TaskPlan
}

function filesOf(around: Around, script: AppScript, original: Original): TaskFiles | null {
  const { originals, plan } = around
  const { files } = originals
  const others = around.scripts.flatMap((each) => (each.parsed && originals.scriptOf(each)) ?? [])
  const isRun = script.sourceMap === ''
  const styleFor = (each: ParsedScript) => styleOf({ script: each, path: files.pathOf(each), isRun }, others)
  const style = styleFor(original.script)
  const registers = registrationsIn(around, original)
  const passed = passedOn(original, { files, plan, style, registers })
  const extracted = passed
    ? [passed]
    : extractFiles(
        original.script,
        original.node,
        extractPlan(around, original, { style, styleFor, registers }),
      )
  if (!extracted) return null
  const modules = extracted.map((each) =>
    formatModule(each, pathFrom(plan.folder, files.pathOf(each.script)), styleFor(each.script)),
  )
  return { files: modules, isTypeScript: isTypeScript(style) }
}

interface Styles {
  readonly style: AppStyle
  readonly styleFor: (script: ParsedScript) => AppStyle
  readonly registers: readonly Registration[]
}

function extractPlan(
  { originals, scripts, plan }: Around,
  { script }: Original,
  { style, styleFor, registers }: Styles,
): ExtractPlan {
  const { files } = originals
  const pathOf = (each: ParsedScript) => pathFrom(plan.folder, files.pathOf(each))
  const specifierOf = (each: ParsedScript) => specifierIn(style, pathOf(each))
  const setUps = plan.setUps.flatMap(({ script: compiled, node }) => {
    const own = scripts.find(({ parsed }) => parsed === compiled)
    return (own && originals.statementOf(own, node)) ?? []
  })
  if (setUps.length < plan.setUps.length) throw new Error('a line that sets something up is not found')
  return {
    name: plan.name,
    findScript: files.find,
    pathOf,
    setUps,
    registers,
    isWhole: (each) => each !== script && isHarmless(each, files.find),
    nameOf: (stem, each) => stem + endingIn(plan.folder, styleFor(each)),
    specifierOf: (path) => specifierIn(style, path),
    more: (each, piece, take) =>
      isTypeScript(styleFor(each)) && takeTypes(each, piece, take, { findScript: files.find, specifierOf }),
  }
}

/** Classes that it throws: by its source, and those of real calls by their names. */
function registrationsIn({ originals, scripts, plan }: Around, { script, node }: Original): Registration[] {
  const { find } = originals.files
  const { reached } = judgeSource(script, node, find)
  const found = thrownClasses(reached, find).flatMap((each) =>
    isToRegister(each) ? [each.registration!] : [],
  )
  const names = new Set(found.map(({ text }) => text.replace(/^.*\./, '')))
  const others = plan.registers.flatMap(({ script: compiled, text }) => {
    const own = scripts.find(({ parsed }) => parsed === compiled)
    const other = own && originals.scriptOf(own)
    return other && !names.has(text.replace(/^.*\./, '')) ? [{ script: other, text }] : []
  })
  return [...found, ...others]
}

interface Passing {
  readonly files: UserFiles
  readonly plan: TaskPlan
  readonly style: AppStyle
  readonly registers: readonly Registration[]
}

/** Null: its file does something when it is loaded, or does not export it, or a class that it throws. */
function passedOn(
  { script, node }: Original,
  { files, plan, style, registers }: Passing,
): ExtractedFile | null {
  if (plan.setUps.length > 0 || !isHarmless(script, files.find)) return null
  const exported = exportedAs(script, node)
  if (exported === null) return null
  const from = specifierIn(style, pathFrom(plan.folder, files.pathOf(script)))
  const importFrom = (file: ParsedScript) => specifierIn(style, pathFrom(plan.folder, files.pathOf(file)))
  const classes = registers.map((each) => classImport(each, files, importFrom))
  if (!classes.every((each) => each !== null)) return null
  const task = { exported, local: plan.name, from, kind: 'export' as const }
  return {
    script,
    name: `${plan.name}.tasks${endingIn(plan.folder, style)}`,
    pieces: [],
    exports: new Map(),
    imports: [task, ...classes],
    usesRequire: false,
    usesExports: false,
    usesPlace: false,
    register: 'registerClass',
    registers: registers.map(({ text }) => text),
  }
}

/** How a module has a class from where it is; null: it cannot. */
function classImport(
  { script, text }: Registration,
  files: UserFiles,
  importFrom: (file: ParsedScript) => string,
): ImportLine | null {
  const variable = topVariable(script, text)
  const [definition] = variable?.defs ?? []
  const imported = definition && importOf(definition, variable!)
  const line = (exported: string, from: string): ImportLine => ({
    exported,
    local: text,
    from,
    kind: 'import',
  })
  if (!imported) return exportedNode(script, text) ? line(text, importFrom(script)) : null
  const other = files.find(script, imported.module)
  return other ? line(imported.exported, importFrom(other)) : line(imported.exported, imported.module)
}

/** The name by which a file exports a function. */
function exportedAs(script: ParsedScript, node: FunctionNode): string | null {
  const own = topVariables(script).filter(
    ({ defs: [definition] }) => definition && codeOf(definition.node as unknown as Node) === node,
  )
  const names = [...own.map(({ name }) => name), node.id?.name ?? null, 'default'].filter(
    (each) => each !== null,
  )
  return (
    names.find((name) => {
      const found = exportedNode(script, name)
      return found && (found.node === node || (found.variable !== null && own.includes(found.variable)))
    }) ?? null
  )
}

function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}
