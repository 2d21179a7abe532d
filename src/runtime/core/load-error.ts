// The error of a task module that cannot be loaded: whose file is missing, and what to do about it in this set-up.

import { describe, ThreadwiseError } from '../../errors/errors.js'
import { isThere } from '../executor/task-module.js'

/** In the bundles of webpack, Rspack and ncc this name is known; they replace the question by its answer. */
declare const __webpack_require__: unknown

export function startFailed(module: string, cause: unknown): ThreadwiseError {
  const details = { module, reason: describe(cause) + hint(module), advice: adviceFor(module, cause) }
  return new ThreadwiseError('TW_ERR_START_FAILED', details, { cause })
}

/** Of a worker that has said nothing before its end: Node itself may have refused to start. `exit`: has the cause, where one is known. */
export function endedAtStart(
  { module, reason }: { module: string; reason: string },
  exit: { cause?: unknown },
): ThreadwiseError {
  // A thread with such a loader is started by a data: URL, see run-text.ts.
  const withoutCode = reason.replace(/data:text\/javascript,[^\s)]*/, 'data:text/javascript,...')
  const advice = withoutCode === reason ? CHECK_ALL : NO_DATA_URLS
  return new ThreadwiseError('TW_ERR_START_FAILED', { module, reason: withoutCode, advice }, exit)
}

const CHECK_ALL =
  'Check that the file loads with a plain import(), that its setup() runs if it has one, and that what the options of Node name ' +
  '(execArgv, NODE_OPTIONS) is found. What was printed may say more.'

const NO_DATA_URLS =
  'A loader of the program (--import) cannot load data: URLs, which Node loads by itself. Use processes(), or another loader, such as tsx.'

function hint(module: string): string {
  const runsTypeScript = Boolean((process.features as { typescript?: unknown }).typescript)
  if (!/\.[mc]?ts$/.test(module) || runsTypeScript) return ''
  return `. Node ${process.version} does not run TypeScript; use Node 22.18 or newer, or compile the file`
}

/** undefined: the message gives its usual advice. */
function adviceFor(module: string, cause: unknown): string | undefined {
  if (isCopyOfNext(module)) return `${IN_NEXT} This is a copy, without what it imports.`
  const { code, permission } = Object(cause) as { code?: unknown; permission?: unknown }
  if (code === 'ERR_ACCESS_DENIED') return allow(permission)
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return 'Node runs no TypeScript of packages that are installed: compile the file, and name the JavaScript.'
  if (code === 'ERR_WORKER_INVALID_EXEC_ARGV') return NOT_FOR_THREADS
  if (
    code === 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING' ||
    code === 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG'
  )
    return "No module can be imported by its URL here. Pass its import, as in inline(() => import('./tasks.js'))."
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return howToRead(module).trim() || undefined
  if (ONLY_FOR_BUNDLERS.has(code)) return `Node does not read that by itself.${howToRead(module)}`
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  if (isMissing(module)) return `The task module itself is not there. ${howToDeliver()}`
  return `The task module is there, but not what it imports: install that beside it, or bundle it into the task module.${howToRead(module)}`
}

/** Enums, JSON without an attribute, an ending that Node does not know, a folder for its index. */
const ONLY_FOR_BUNDLERS: ReadonlySet<unknown> = new Set([
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
  'ERR_UNSUPPORTED_DIR_IMPORT',
])

/** The servers of Vite, and of what is made of it, say that they develop. */
function howToRead(module: string): string {
  const { VITEST, NODE_ENV } = process.env
  if (VITEST !== undefined || NODE_ENV === 'development')
    return ' Vite and Vitest do: add threadwise.vite() of threadwise/unplugin to the plugins of their configuration, so that workers load what they make of the module.'
  return /\.[mc]?tsx?$/.test(module)
    ? ' Start the program with the loader that reads it, such as node --import tsx.'
    : ''
}

const NOT_FOR_THREADS =
  "A thread takes only those options of Node that are not for the whole process: look at execArgv, and at NODE_OPTIONS in 'env'. processes() takes all."

/** Options of Node, by the permission that is missing. */
const PERMISSIONS: Record<string, string> = {
  WorkerThreads: '--allow-worker',
  ChildProcess: '--allow-child-process',
  FileSystemRead: '--allow-fs-read for the task module, what it imports, and threadwise',
}

/** Under `node --permission`. */
function allow(permission: unknown): string {
  const option = PERMISSIONS[String(permission)]
  const how = option ? `Start the program with ${option}` : 'Start the program with the option that allows it'
  return `The permission model of Node forbids that. ${how}; inline and concurrent start no worker.`
}

function isMissing(module: string): boolean {
  if (!module.startsWith('file:')) return false
  return !isThere(new URL(module), false) // one that may not be read is another error
}

/** What Next puts where `new URL('./tasks.js', import.meta.url)` was: for a page an address of the browser, for a route a file. */
function isCopyOfNext(module: string): boolean {
  return Boolean(process.env.NEXT_RUNTIME) && /\/(media|assets)\/[^/]+\.[\w-]+\.[mc]?[jt]sx?$/.test(module)
}

const IN_NEXT =
  "In Next name the task module by its path, as in join(process.cwd(), 'lib/tasks.js'); a standalone output needs it " +
  'in outputFileTracingIncludes. See docs/frameworks.md.'

function howToDeliver(): string {
  if (process.env.NEXT_RUNTIME) return IN_NEXT
  if ('_importMeta_' in globalThis)
    return 'Nitro made this program: add threadwise/unplugin to the plugins of nitro.rollupConfig. See docs/frameworks.md.'
  if (typeof __webpack_require__ === 'function')
    return 'webpack, Rspack or ncc made this program: build the task module as an entry with a library, or add threadwise/unplugin. See docs/bundlers.md.'
  return 'If a bundler made this program, make the task module an entry (Vite: an input) of its own, or add threadwise/unplugin. See docs/bundlers.md.'
}
