// Runs programs of ours that are text, in threads and in child processes: a bundler would leave a file of ours behind. The text is that of
// an -entry.ts, see entry-code.d.ts.
//
//   new Worker(PROGRAM_OF_THREAD, { eval: true, workerData: { ...data, code } })
//
//   spawn(process.execPath, [...nodeOptions, ...programOfChild(args)], { stdio: [..., 'ipc'] })
//   child.send(code)        its first message; the child waits for it
//
// The text is no argument of the child: Linux takes 128 KB for one, Windows 32 KB for all, and `ps` would show it. Nor is it the program of
// the thread: Node looks first whether that is TypeScript, which slows the start.

import { PROGRAM_NAME } from './eval-globals.js'

/**
 * By eval, whose code may use import(). It is refused under --disallow-code-generation-from-strings: then by Node's own way, which prints
 * that it is experimental.
 */
const RUN =
  'let run;try{run=eval(code)}catch{const{runInThisContext,constants}=process.getBuiltinModule("vm");' +
  'run=runInThisContext(code,{importModuleDynamically:constants.USE_MAIN_CONTEXT_DEFAULT_LOADER})}run()'

/** Within braces: tasks would see its variables. They see the workerData too, without the text. */
export const PROGRAM_OF_THREAD = `{const{workerData}=process.getBuiltinModule("worker_threads"),{code}=workerData;delete workerData.code;${RUN}}`

/** The same for a thread before which Node is to run the modules of --import. It does not do that for code that it evaluates, which starts sooner. */
export const MODULE_OF_THREAD = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM_OF_THREAD)}`)

/** What the child inherits must not reach its own children: they would wait for text too. */
const HIDE = (option: string) => `process.execArgv.splice(process.execArgv.lastIndexOf("${option}"),2);`

/**
 * Arguments for the runtime: the child runs the text, and finds `args` in process.argv from 2 on, as the program of a file does. `options`: those
 * of Node.
 */
export function programOfChild(args: readonly string[], options: readonly string[] = []): string[] {
  const program = `process.once("message",(code)=>{${RUN}})`
  if ('deno' in process.versions) return programOfDeno(program, args, options)
  return [...options, '-e', HIDE('-e') + program, PROGRAM_NAME, ...args]
}

/** There import() fails in what -e has run. Whoever may start a program may do everything, and so may what eval runs. */
function programOfDeno(program: string, args: readonly string[], options: readonly string[]): string[] {
  const flags = options.length > 0 ? [`--v8-flags=${options.join()}`] : []
  return ['eval', '--quiet', ...flags, program, ...args]
}

/** Options for Node, the last ones: the child runs the text before its program. Its threads get the options too; they have no process.send. */
export function textBeforeProgram(): string[] {
  const run = `await new Promise((done)=>process.once("message",(code)=>{${RUN};done()}))`
  return ['--import', `data:text/javascript,if(process.send){${HIDE('--import')}${run}}`]
}
