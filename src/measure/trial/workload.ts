// What is measured: a task (or several variants) and the arguments of its calls.

import { unknownName } from '../../errors/nearest.js'
import { statSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { serialize } from 'node:v8'
import { ThreadwiseError, isThreadwiseError } from '../../errors/errors.js'
import { isUrl } from '../../primitives/any-realm.js'
import type { Executor } from '../../runtime/executor/executor.js'
import { importModule } from '../../runtime/task/load-task.js'

/** One argument list for each call, cycled; or a function from the number of the call to its argument list. */
export type Inputs = readonly (readonly unknown[])[] | ((call: number) => readonly unknown[])

/** The description of a workload; exactly one of `task` and `variants` is given. */
export interface WorkloadDefinition {
  /** URL of the task module: new URL('./tasks.js', import.meta.url). */
  readonly module: URL | string
  /** Name of the exported function to call. */
  readonly task?: string
  /** Several functions (or the same with other inputs) measured side by side: label -> name of the function. */
  readonly variants?: Readonly<Record<string, string>>
  /** Default: one call without arguments. With variants, `{ label: inputs }` gives each its own. */
  readonly inputs?: Inputs | Readonly<Record<string, Inputs>>
}

/** A workload as the trials use it. */
export interface Workload {
  /** The file that describes it, for trials, which load it in a process of their own. */
  readonly file: string
  readonly module: string
  readonly variants: Readonly<Record<string, string>>
  argumentsOf(variant: string, call: number): readonly unknown[]
}

/** Where a trial process finds the workload. */
export type WorkloadSource =
  | { readonly kind: 'file'; readonly url: string }
  | {
      readonly kind: 'task'
      readonly url: string
      readonly task: string
      readonly inputs: readonly (readonly unknown[])[]
      /**
       * URL of a {@link WorkloadProgram}, when what is timed is not one call of the task: it starts with the first argument list, and
       * makes the calls.
       */
      readonly program?: string
    }

/** The module behind `program`. */
export interface WorkloadProgram {
  /** Gives the function that is timed. What it throws, or the start throws, is the failure of the trial. */
  readonly start: (executor: Executor, ...args: readonly unknown[]) => Promise<() => Promise<unknown>>
}

/**
 * Declares a workload; a file that measures exports it as default. It only gives types and checks the form.
 *
 * @throws TW_ERR_WORKLOAD_INVALID
 * @example
 * export default defineWorkload({
 *   module: new URL('./tasks.js', import.meta.url),
 *   task: 'render',
 *   inputs: [[{ me: 'Thomas', you: 'Katelyn' }]],
 * })
 */
export function defineWorkload(definition: WorkloadDefinition): WorkloadDefinition {
  resolveWorkload(definition, 'the argument of defineWorkload()')
  return definition
}

/** Loads a workload in this process. A file that exports no workload is not one: name its task, then. */
export async function loadWorkload(source: WorkloadSource): Promise<Workload> {
  if (source.kind === 'task') {
    return resolveWorkload({ module: source.url, task: source.task, inputs: source.inputs }, source.url)
  }
  let module: { default?: unknown }
  try {
    module = await importModule(source.url)
  } catch (cause) {
    if (isThreadwiseError(cause)) throw cause // of defineWorkload(), which says what is wrong
    throw new ThreadwiseError(
      'TW_ERR_WORKLOAD_INVALID',
      { file: source.url, reason: `it does not load: ${cause}${howToLoad(source.url)}` },
      { cause },
    )
  }
  if (typeof module.default !== 'object' || module.default === null || !('module' in module.default)) {
    const names = Object.keys(module).filter(
      (name) => typeof (module as Record<string, unknown>)[name] === 'function',
    )
    const hint =
      names.length > 0
        ? `; to measure one of its functions, add --task ${names[0]} (found: ${names.join(', ')})`
        : '; if it starts a server, add --server'
    throw invalid(source.url, `its default export is not a workload${hint}`)
  }
  return resolveWorkload(module.default as WorkloadDefinition, source.url)
}

/** TypeScript that Node does not read, in whatever way. */
function howToLoad(url: string): string {
  if (!/\.[mc]?tsx?$/.test(url)) return ''
  return `. If your program needs a loader, measure with it: NODE_OPTIONS='--import tsx' threadwise measure ...`
}

/** Turns a path or URL into the URL of an existing file. */
export function workloadUrl(file: string | URL): string {
  const url = isUrl(file) || /^file:/.test(file) ? new URL(file) : pathToFileURL(file)
  if (url.protocol !== 'file:') throw invalid(url.href, 'it must be a file')
  if (!statSync(fileURLToPath(url), { throwIfNoEntry: false })?.isFile())
    throw invalid(String(file), 'there is no such file')
  return url.href
}

const WORKLOAD = ['module', 'task', 'variants', 'inputs']

function resolveWorkload(definition: WorkloadDefinition, file: string): Workload {
  if (typeof definition !== 'object' || definition === null) throw invalid(file, 'it must be an object')
  const unknown = unknownName(definition, WORKLOAD)
  if (unknown !== undefined) throw invalid(file, `it has no ${unknown}; there are ${WORKLOAD.join(', ')}`)
  const { module, task, variants, inputs = [[]] } = definition
  if (!isUrl(module) && !(typeof module === 'string' && URL.canParse(module))) {
    throw invalid(file, "`module` must be a URL such as new URL('./tasks.js', import.meta.url)")
  }
  if ((task === undefined) === (variants === undefined))
    throw invalid(file, 'it needs either `task` or `variants`')
  const named: Readonly<Record<string, string>> = variants ?? { [String(task)]: String(task) }
  if (Object.keys(named).length === 0) throw invalid(file, '`variants` is empty')
  for (const [variant, name] of Object.entries(named)) {
    if (typeof name !== 'string' || name === '')
      throw invalid(file, `variant ${variant} must name a function`)
    checkInputs(file, variant, inputsOf(inputs, variant))
  }
  checkLabels(file, inputs, named)
  return {
    file,
    module: String(module),
    variants: named,
    argumentsOf(variant, call) {
      const own = inputsOf(inputs, variant)
      return typeof own === 'function' ? madeInput(file, own, call) : own[call % own.length]!
    },
  }
}

/** @throws TW_ERR_WORKLOAD_INVALID: what a function of the user gives is known only when it is called. */
function madeInput(
  file: string,
  make: (call: number) => readonly unknown[],
  call: number,
): readonly unknown[] {
  let list: unknown
  try {
    list = make(call)
  } catch (cause) {
    throw new ThreadwiseError(
      'TW_ERR_WORKLOAD_INVALID',
      { file, reason: `inputs(${call}) threw ${cause}` },
      { cause },
    )
  }
  if (Array.isArray(list)) return list
  const what = types.isPromise(list)
    ? 'a Promise: it cannot be asynchronous'
    : list === null
      ? 'null'
      : typeof list
  throw invalid(file, `inputs(${call}) must return a list of arguments, and gave ${what}`)
}

/** Size of the structured clone; null if it cannot be cloned. */
export function bytesOf(value: unknown): number | null {
  try {
    return serialize(value).length
  } catch {
    return null
  }
}

function inputsOf(inputs: NonNullable<WorkloadDefinition['inputs']>, variant: string): Inputs {
  if (isForAll(inputs)) return inputs
  return inputs[variant] ?? [[]]
}

function isForAll(inputs: NonNullable<WorkloadDefinition['inputs']>): inputs is Inputs {
  return (
    typeof inputs === 'function' || Array.isArray(inputs) || typeof inputs !== 'object' || inputs === null
  )
}

/** Inputs under a name that no variant has would silently not be used. */
function checkLabels(
  file: string,
  inputs: NonNullable<WorkloadDefinition['inputs']>,
  variants: Readonly<Record<string, string>>,
): void {
  const unknown = isForAll(inputs)
    ? []
    : Object.keys(inputs).filter((label) => !Object.hasOwn(variants, label))
  if (unknown.length > 0)
    throw invalid(
      file,
      `it has inputs for ${unknown.join(', ')}, but its variants are ${Object.keys(variants).join(', ')}`,
    )
}

function checkInputs(file: string, variant: string, inputs: Inputs): void {
  if (typeof inputs === 'function') return
  const isList = Array.isArray(inputs) && inputs.length > 0 && inputs.every((list) => Array.isArray(list))
  if (!isList)
    throw invalid(file, `the inputs of ${variant} must be a list of argument lists, such as [[1, 2], [3, 4]]`)
}

function invalid(file: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', { file, reason })
}
