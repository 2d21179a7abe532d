// Has the bundles take what they use of Node's modules without importing these: for an ES module that imports one Node reads each of
// its exports, and some load more modules then, as node:fs and node:util do: readline, and the history of the REPL. Without these two
// to import the package takes 20.7 instead of 23.9 ms with Node 24, 19.9 instead of 25.5 with 26, 22.4 instead of 23.6 with 20; without the
// others 12.3 instead of 12.7 on a newer machine, with 55 KB less of garbage, and what measures 14.8 instead of 31.0 (Node 24;
// medians of 15 to 20 runs by turns, of programs that import nothing else).
//
//   before   import { a, b as c } from "node:fs";
//   after    const { a, b: c } = process.getBuiltinModule("node:fs");    at the top of the file: imports are there before all that runs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const IMPORT = /^import (\{[^}]+\}) from ("node:[\w/]+");\n/gm

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
