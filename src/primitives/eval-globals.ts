// What Node adds to the global object for code without a file, and a program of a file does not have. Libraries would take an ES module
// for CommonJS by these.

/** What stands where the arguments of other programs have their path, which they compare with. */
export const PROGRAM_NAME = 'threadwise'

/** Of a thread that runs text. */
export function removeEvalGlobals(): void {
  for (const name of ['module', 'exports', 'require', '__filename', '__dirname'])
    Reflect.deleteProperty(globalThis, name)
  process.argv[1] ??= PROGRAM_NAME
}

/** Before PROGRAM_NAME, the first argument of a thread, Node puts '[worker eval]', or nothing. */
export function removeEvalName(): void {
  process.argv.splice(1, process.argv.indexOf(PROGRAM_NAME) - 1)
}

/** Of a process that runs text: there each module of Node is global too, by a getter. */
export function removeModuleGlobals(): void {
  removeEvalGlobals()
  for (const name of process.getBuiltinModule('node:module').builtinModules) {
    const found = Object.getOwnPropertyDescriptor(globalThis, name)
    const isOfEveryProgram = found?.enumerable || name === 'process' // enumerable: crypto
    if (found?.get && !isOfEveryProgram) Reflect.deleteProperty(globalThis, name)
  }
}
