// Runs programs of ours that are text, in threads and in child processes: a bundler would leave a file of ours behind. The text is that of
// an -entry.ts, see entry-code.d.ts.
//
//   new Worker(PROGRAM_OF_THREAD, { eval: true, workerData: { ...data, code } })
//
//   spawn(process.execPath, [...nodeOptions, ...programOfChild(args)], { stdio: [..., 'ipc'] })
//   child.send(code)        its first message; the child waits for it
//
//   spawn(process.execPath, [...nodeOptions, ...textBeforeProgram(), file], { stdio: [..., 'ipc'] })
//   giveCode(child, code)   the child asks for it, and runs it before the file
//
// The text is no argument of the child: Linux takes 128 KB for one, Windows 32 KB for all, and `ps` would show it. Nor is it the program of
// the thread: Node looks first whether that is TypeScript, which slows the start.

import { CODE_MESSAGE } from './before-own-program.js'
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

/**
 * Options for Node, the last ones: the child runs the text of giveCode() before its program. Its threads get the options too; they have no
 * process.send.
 *
 * The child asks for the text when it is ready to take it. What ran before, such as a preload that awaits something or hooks of a loader, may
 * have turned the event loop, and Node would have given a message that was already there to whoever listened then.
 */
export function textBeforeProgram(): string[] {
  // The listener for 'message' keeps the process alive while it waits.
  const run =
    'const stay=()=>{};process.on("message",stay);' +
    `await new Promise((done)=>{process.on("internalMessage",function take(m){if(m?.cmd!=="${CODE_MESSAGE}")return;` +
    `process.off("internalMessage",take);const{code}=m;${RUN};done()});process.send({cmd:"${CODE_MESSAGE}"},()=>{})});` +
    'process.off("message",stay)'
  return [
    '--import',
    `data:text/javascript,${encodeURIComponent(`if(process.send){${HIDE('--import')}${run}}`)}`,
  ]
}

/** What is used here of a child process. */
interface Child {
  readonly connected: boolean
  send(message: object, done: () => void): unknown
  on(event: 'internalMessage', listener: (message: unknown) => void): unknown
  off(event: 'internalMessage', listener: (message: unknown) => void): unknown
}

/** The other side: gives the text to a child with textBeforeProgram() when it asks for it. */
export function giveCode(child: Child, code: string): void {
  const give = (message: unknown) => {
    if ((message as { cmd?: unknown } | null)?.cmd !== CODE_MESSAGE) return
    child.off('internalMessage', give)
    if (child.connected) child.send({ cmd: CODE_MESSAGE, code }, () => {}) // one that has ended is told by its end
  }
  child.on('internalMessage', give)
}
