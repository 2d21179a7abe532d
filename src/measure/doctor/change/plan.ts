// What a change is made of: the tasks, and what is known of the files that it touches.

import { basename, relative, sep } from 'node:path'
import type { Node } from 'acorn'
import type { DoctorTrialFunction } from '../../results/doctor-result.js'
import type { AppScript } from '../source/app-script.js'
import type { FunctionNode, SourceLanguage, ParsedScript } from '../source/script-functions.js'
import type { AppStyle } from '../written/app-style.js'
import type { AppFiles } from './app-files.js'
import type { ChangeNote, Changing } from './change-calls.js'
import type { Edits } from './edits.js'
import { ownVariable, type UsedFunction } from './uses.js'

/** A function that is to move, or in which Node's own function is to wait elsewhere. */
export interface Mover {
  readonly name: string
  readonly way: DoctorTrialFunction['way']
  readonly script: AppScript
  readonly node: FunctionNode
}

export interface ChangedFile {
  /** Relative to the root, with forward slashes. */
  readonly file: string
  /** Null: it is new. */
  readonly before: string | null
  readonly after: string
}

export interface Change {
  readonly files: readonly ChangedFile[]
  readonly notes: readonly ChangeNote[]
  /** Files that are not what Node.js ran: they have to be built. */
  readonly isBuilt: boolean
  /** Functions of Node's that blocked, each with its form that gives a promise. */
  readonly forms: readonly (readonly string[])[]
}

export interface Task {
  readonly used: UsedFunction
  /** Of the task. */
  readonly name: string
}

export interface Plan {
  readonly app: AppFiles
  readonly edits: Edits
  readonly changing: Changing
  readonly tasks: readonly Task[]
  /** Files that call the pool, and those that call a task directly. */
  readonly pooled: Set<ParsedScript>
  readonly direct: Map<ParsedScript, Set<string>>
  readonly taskFiles: MadeFile[]
  readonly isModule: boolean
  readonly styleFor: (script: ParsedScript) => AppStyle
  readonly pool: string
  /** Import statements that went. */
  readonly places: Map<ParsedScript, Node>
  /** What is made once, behind the lines that load. */
  readonly constants: Map<ParsedScript, Map<string, string>>
  /** Lines that load what is new. */
  readonly lines: Map<ParsedScript, string[]>
}

export interface MadeFile extends ChangedFile {
  readonly path: string
  /** Files that it loads. */
  readonly loads: readonly ParsedScript[]
  /** Names of its tasks. */
  readonly tasks: readonly string[]
}

/** Its own, or that of its file. */
export function taskName(app: AppFiles, used: UsedFunction): string {
  const own = ownVariable(used)?.name ?? used.node.id?.name ?? used.name.replace(/^.*\./, '')
  if (/^[A-Za-z_$][\w$]*$/.test(own) && !/^(default|exports)$/.test(own)) return own
  const stem = basename(app.pathOf(used.script)).replace(/\..*$/, '')
  return stem.replace(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase()).replace(/^\d/, '_$&')
}

export function languageOf(path: string): SourceLanguage {
  return /x$/.test(path) ? 'TSX' : /\.[cm]?ts$/.test(path) ? 'TypeScript' : 'JavaScript'
}

export function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

export function inQuotes({ quote }: AppStyle, text: string): string {
  return quote + text + quote
}
