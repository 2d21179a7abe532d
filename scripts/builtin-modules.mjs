// Has the bundles take what they use of Node's modules without importing these: whoever imports node:fs or node:util from an ES module
// makes Node read each of their exports, and some load more modules then, such as readline, and the history of the REPL. To import the
// package takes 20.7 instead of 23.9 ms with Node 24, 19.9 instead of 25.5 with 26, 22.4 instead of 23.6 with 20 (medians of 15 runs by
// turns, of a program that imports nothing else).
//
//   before   import { a, b as c } from "node:fs";
//   after    const { a, b: c } = process.getBuiltinModule("node:fs");    at the top of the file: imports are there before all that runs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const IMPORT = /^import (\{[^}]+\}) from ("node:(?:fs|process|util)");\n/gm

/** Rewrites all files of the folder, whose path ends with a slash. */
export function takeBuiltinModules(folder) {
  for (const name of readdirSync(folder)) {
    const source = readFileSync(folder + name, 'utf8')
    let taken = ''
    const rest = source.replace(IMPORT, (_, names, module) => {
      taken += `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule(${module});\n`
      return ''
    })
    writeFileSync(folder + name, taken + rest)
  }
}
