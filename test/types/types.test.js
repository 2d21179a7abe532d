// The types of the package, as a user's compiler sees them: strict, module nodenext, found through package.json.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const folder = fileURLToPath(new URL('.', import.meta.url))
const cases = readdirSync(folder).filter((name) => name.endsWith('.ts'))

/** The compiler's complaints. `made` are made-up files beside the cases: name -> text. */
function complaints(names, made = {}) {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    noEmit: true,
    skipLibCheck: true,
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  const textOf = (path) => (path.startsWith(folder) ? made[path.slice(folder.length)] : undefined)
  host.fileExists = (path) => textOf(path) !== undefined || fileExists(path)
  host.readFile = (path) => textOf(path) ?? readFile(path)
  host.getSourceFile = (path, languageOptions, ...rest) => {
    const text = textOf(path)
    if (text === undefined) return getSourceFile(path, languageOptions, ...rest)
    return ts.createSourceFile(path, text, languageOptions)
  }
  const program = ts.createProgram(names.map((name) => folder + name), options, host) // prettier-ignore
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n')
    if (!file) return text
    return `${file.fileName.slice(folder.length)}:${file.getLineAndCharacterOfPosition(start).line + 1} ${text}`
  })
}

test('the types promise what the cases say', () => {
  assert.ok(cases.length >= 4)
  assert.deepEqual(complaints(cases), [])
})

test('a promise that is not kept is found', () => {
  const made = {
    'made-up.ts': `
      import { threads } from 'threadwise'
      import type * as Tasks from './tasks.js'
      import { same } from './same.js'
      const pool = threads<typeof Tasks>('file:///tasks.js')
      same<ReturnType<typeof pool.tasks.add>, Promise<string>>(true)
      same<ReturnType<typeof pool.tasks.add>, any>(true)
      // @ts-expect-error -- nothing is wrong here
      void pool.tasks.add(1, 2)
      void pool.tasks.subtract(1, 2)
    `,
  }
  const lines = complaints(['made-up.ts'], made).map((complaint) => complaint.split(' ')[0])
  assert.deepEqual(lines, ['made-up.ts:6', 'made-up.ts:7', 'made-up.ts:8', 'made-up.ts:10'])
})
