// Node runs the modules of --import and --require, on its command line or in NODE_OPTIONS, before the program of each thread and process that
// inherits them: before ours has told anybody where it is. What such a module starts in the program, it starts again in each worker, and so on.

import { PROGRAM_NAME } from './eval-globals.js'

/** By this a child asks for the text that it is to run before its program, and gets it: see run-text.ts. Node tells no listener of such messages. */
export const CODE_MESSAGE = 'NODE_THREADWISE_CODE'

/** The thread or process was started by us, and Node loads other modules there first: a worker of a pool, or what runs a program. */
export function beforeOwnProgram(): 'worker' | 'program' | undefined {
  const threads = process.getBuiltinModule('node:worker_threads')
  if (!threads.isMainThread) return isOfThread(threads.workerData) ? 'worker' : undefined
  if (process.argv[1] === PROGRAM_NAME && process.execArgv.includes('-e'))
    return /^(file|data|https?|blob|threadwise):/.test(process.argv[2] ?? '') ? 'worker' : 'program'
  return process.execArgv.some((option) => option.includes(CODE_MESSAGE)) ? 'program' : undefined
}

/** thread-data.ts; the text goes once our program runs. */
function isOfThread(data: unknown): boolean {
  const { code, module, parents } = Object(data) as Record<string, unknown>
  return typeof code === 'string' && typeof module === 'string' && Array.isArray(parents)
}

/** What makes Node load them, for messages. */
export function preloads(): string {
  const words = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)]
  const found = words.flatMap((word, i) => {
    if (word.includes(CODE_MESSAGE)) return []
    const [, option, file = words[i + 1] ?? ''] = /^(--import|--require|-r)(?:=(.*))?$/.exec(word) ?? []
    return option ? [`${option} ${file}`] : []
  })
  return [...new Set(found)].join(', ') || '--import or --require'
}
