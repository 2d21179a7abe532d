// Modules that doctor writes look like the app that they are for.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'
import {
  endingIn,
  isTypeScript,
  specifierIn,
  styleOf,
} from '../../../../../build/measure/doctor/written/app-style.js'
import { formatModule } from '../../../../../build/measure/doctor/written/format-module.js'
import { testFolder } from '../../../../helpers/files.js'

const scriptOf = (text, path) => parseScript(text, isTypeScript({ ending: path.slice(path.lastIndexOf('.')) }) ? 'TypeScript' : 'JavaScript') // prettier-ignore

/** The style of a file in a folder with that package.json. */
function styleIn(t, path, text, { type, others = [], isRun = true } = {}) {
  const folder = testFolder(t)('app')
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
  return styleOf(
    { script: scriptOf(text, path), path: join(folder, path), isRun },
    others.map((each) => scriptOf(each, path)),
  )
}

describe('the style of a file', () => {
  test('has its kind of module, quotes and semicolons', (t) => {
    const module = styleIn(t, 'a.mjs', "import x from './x.mjs'\nconst a = 'b'\nexport { a, x }\n")
    assert.deepEqual(
      module,
      { ending: '.mjs', isCommonJs: false, quote: "'", hasSemicolons: false, endings: 'compiled' },
      'it names .mjs, which a compiler may have made',
    )
    const common = styleIn(t, 'a.cjs', 'const x = require("./x");\nconst b = "c";\nmodule.exports = { x, b };\n') // prettier-ignore
    assert.deepEqual(common, { ending: '.cjs', isCommonJs: true, quote: '"', hasSemicolons: true, endings: 'none' }) // prettier-ignore
  })

  test('names other files as the file does, or as its neighbours do', (t) => {
    const endings = (text, options) => styleIn(t, 'a.ts', text, options).endings
    assert.equal(endings("import { b } from './b.ts'\nb()"), 'own')
    assert.equal(endings("import { b } from './b.js'\nb()"), 'compiled')
    assert.equal(endings("import { b } from './b'\nb()"), 'none')
    assert.equal(endings('export const a = 1', { others: ["import { b } from '../b'\nb()"] }), 'none')
    assert.equal(endings('export const a = 1'), 'own', 'Node.js runs it, and needs the ending')
    assert.equal(endings('export const a = 1', { isRun: false, type: 'module' }), 'compiled')
    assert.equal(endings('export const a = 1', { isRun: false }), 'none')
  })

  test('is that of its imports and statements, and without them that of its neighbours', (t) => {
    const shown = (text, others = []) => {
      const { quote, hasSemicolons } = styleIn(t, 'a.js', text, { others })
      return `${quote}${hasSemicolons ? ';' : ''}`
    }
    assert.equal(shown(`import a from "./a.js";\nf('x', 'y', 'z');\n`), '";')
    assert.equal(shown('export function f() {\n  return 1;\n}\n'), "';")
    assert.equal(shown('export function f() {}\n', ['import a from "a";\n']), '";')
    assert.equal(shown('export function f() {}\n'), "'")
  })

  test('gives a module an ending by which Node.js knows its kind', (t) => {
    const style = styleIn(t, 'a.js', 'exports.a = 1')
    const folder = testFolder(t)('modules')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    assert.equal(endingIn(folder, style), '.cjs')
    assert.equal(endingIn(folder, { ...style, isCommonJs: false }), '.js')
    assert.equal(endingIn(folder, { ...style, ending: '.ts' }), '.ts')
  })

  test('names a file in an import', () => {
    const named = (endings, path) => specifierIn({ endings }, path)
    assert.equal(named('own', './b.ts'), './b.ts')
    assert.equal(named('compiled', './b.mts'), './b.mjs')
    assert.equal(named('none', './b.ts'), './b')
    assert.equal(named('none', './b/index.js'), './b')
  })
})

describe('a module', () => {
  const file = {
    name: 'tasks.js',
    pieces: ['const RATE = 2', 'function price(n) { return round(n * RATE) }'],
    imports: [
      { exported: 'round', local: 'round', from: './math.js', kind: 'import' },
      { exported: 'default', local: 'lib', from: "it's", kind: 'import' },
    ],
    exports: [['price', 'price']],
    usesRequire: false,
    usesExports: false,
    registers: ['Refused'],
    register: 'registerClass',
  }

  test('is an ES module in the style of the app', () => {
    const { text } = formatModule(file, '../app.js', { isCommonJs: false, quote: "'", hasSemicolons: false })
    assert.equal(
      text,
      `// Of ../app.js, by threadwise doctor: what the task needs, and nothing else.
import { round } from './math.js'
import lib from 'it\\'s'
import { registerClass } from 'threadwise/task'

const RATE = 2

function price(n) { return round(n * RATE) }

registerClass(Refused)

export { price }
`,
    )
  })

  test('is CommonJS in the style of the app', () => {
    const { text } = formatModule(file, '../app.js', { isCommonJs: true, quote: '"', hasSemicolons: true })
    assert.match(text, /^const \{ round \} = require\("\.\/math\.js"\);$/m)
    assert.match(text, /^const lib = require\("it's"\);$/m)
    assert.match(text, /^const RATE = 2;$/m)
    assert.match(text, /^registerClass\(Refused\);$/m)
    assert.match(text, /^module\.exports = \{ price \};$/m)
    assert.ok(parseScript(text), 'it can be parsed')
  })

  test('imports a type once, where its value is imported too', () => {
    const imports = [
      { exported: 'Row', local: 'Row', from: './rows.js', kind: 'type' },
      { exported: 'Row', local: 'Row', from: './rows.js', kind: 'import' },
      { exported: 'Cell', local: 'Cell', from: './rows.js', kind: 'type' },
    ]
    const { text } = formatModule({ ...file, imports, registers: [] }, '../a.ts', { isCommonJs: false, quote: "'", hasSemicolons: false }) // prettier-ignore
    assert.deepEqual(text.match(/^import.*$/gm), ["import { Row } from './rows.js'", "import type { Cell } from './rows.js'"]) // prettier-ignore
  })
})
