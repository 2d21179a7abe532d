// The functions of a profile: their names, where a bundler has taken them away.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { findFunctions } from '../../../../build/measure/doctor/find-functions.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'
import { testFolder } from '../../../helpers/files.js'

const WORK = `export function report(rows) {
  return rows.map((row) => row.e)
}
export class Page {
  get html() {
    return report([{ e: this }])
  }
}
`
const MAIN = `import { Page, report } from './work.js'
const total = (list) => report(list).length
export default { total, page: () => new Page().html }
`

/** As if each function had run for as long. V8 names a function as the bundle does. */
function profileOf({ scriptId, text }) {
  const parsed = parseScript(text)
  const names = { FunctionDeclaration: (node) => node.id.name }
  const nodes = parsed.functions.map(({ node, path }, index) => {
    const { line, column } = parsed.placeOf(node.start)
    const parent = path.at(-2)
    const functionName = names[node.type]?.(node) ?? (parent.kind === 'get' ? 'get html' : (parent.id?.name ?? '')) // prettier-ignore
    const callFrame = { functionName, scriptId, url: '', lineNumber: line, columnNumber: column }
    return { id: index + 2, callFrame, hitCount: 1, children: [] }
  })
  const root = { id: 1, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }, hitCount: 0, children: nodes.map(({ id }) => id) } // prettier-ignore
  const samples = nodes.map(({ id }) => id)
  return { nodes: [root, ...nodes], startTime: 0, endTime: 1000 * samples.length, samples, timeDeltas: samples.map(() => 1000) } // prettier-ignore
}

test('a function of a minified bundle has the name of its source', async (t) => {
  const folder = testFolder(t)('app')
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src/work.js'), WORK)
  writeFileSync(join(folder, 'src/main.js'), MAIN)
  const outfile = join(folder, 'dist/main.js')
  await build({ entryPoints: [join(folder, 'src/main.js')], outfile, bundle: true, minify: true, sourcemap: true, format: 'cjs' }) // prettier-ignore
  const script = { scriptId: '7', url: pathToFileURL(outfile).href, text: readFileSync(outfile, 'utf8'), sourceMap: 'main.js.map' } // prettier-ignore
  assert.doesNotMatch(script.text, /\breport\b/)
  const { functions } = findFunctions({ scripts: [script], profile: profileOf(script), seconds: 1, requests: 1 }) // prettier-ignore
  const names = functions
    .filter(({ row }) => /src[\\/]/.test(row.file))
    .map(({ row }) => `${row.name} ${row.line}`)
  for (const name of ['report 1', 'get html 5', 'total 2'])
    assert.ok(names.includes(name), `${name} of ${names.join(', ')}`)
})
