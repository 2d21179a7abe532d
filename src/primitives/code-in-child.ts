// Runs code of ours in a child process that needs no file of ours: a bundler would leave such a file behind.
//
//   spawn(process.execPath, [...nodeOptions, ...codeThenArguments(args)], { stdio: [..., 'ipc'] })
//   child.send(code)        the text of an -entry.ts, its first message; the child waits for it, runs it, and goes on
//
// The text is no argument itself: Linux takes 128 KB for one, Windows 32 KB for all, and `ps` would show it.

/**
 * By eval, whose code may use import(). It is refused under --disallow-code-generation-from-strings: then by Node's own way, which prints
 * that it is experimental.
 */
const RUN =
  'let run;try{run=eval(code)}catch{const{runInThisContext,constants}=process.getBuiltinModule("vm");' +
  'run=runInThisContext(code,{importModuleDynamically:constants.USE_MAIN_CONTEXT_DEFAULT_LOADER})}run()'

/** What the child inherits must not reach its own children: they would wait for code too. */
const HIDE = (option: string) => `process.execArgv.splice(process.execArgv.lastIndexOf("${option}"),2);`

const MAIN = `${HIDE('-e')}process.once("message",(code)=>{${RUN}})`

/** Threads of the child run it too, and have no process.send. */
const PRELOAD = `if(process.send){${HIDE('--import')}await new Promise((done)=>process.once("message",(code)=>{${RUN};done()}))}`

/** Arguments for Node: the child runs the code, and finds `args` in process.argv from 2 on, as the program of a file does. */
export function codeThenArguments(args: readonly string[]): string[] {
  return ['-e', MAIN, 'threadwise', ...args]
}

/** Options for Node: the child runs the code before its program. They are the last ones. */
export function codeBeforeProgram(): string[] {
  return ['--import', `data:text/javascript,${PRELOAD}`]
}
