// What Node adds to the global object for code without a file, and a program of a file does not have. Libraries would take an ES module
// for CommonJS by these.

/** Of a thread that runs text. */
export function removeEvalGlobals(): void {
  for (const name of ['module', 'exports', 'require', '__filename', '__dirname'])
    Reflect.deleteProperty(globalThis, name)
  process.argv[1] ??= 'threadwise' // missing under --input-type=module, and programs compare it with their path
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
