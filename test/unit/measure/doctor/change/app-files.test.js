// The files of an app as their user wrote them.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { createAppFiles } from '../../../../../build/measure/doctor/change/app-files.js'
import { placesOf } from '../../../../../build/measure/doctor/source/original-place.js'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'
import { testFolder } from '../../../../helpers/files.js'

const SOURCES = {
  'src/primes.ts': 'export function primes(limit: number): number[] {\n  return [limit]\n}\n',
  'src/index.ts': "import { primes } from './primes'\n\nexport const first = (): number[] => primes(1)\n",
}

/** As `tsc` writes it to dist/: the scripts that Node.js runs. */
function compiled(folder, { sourceMap }) {
  return Object.entries(SOURCES).map(([file, source]) => {
    const options = { module: 'commonjs', target: 'es2022', sourceMap, sourceRoot: '' }
    const { outputText, sourceMapText } = ts.transpileModule(source, { compilerOptions: ts.convertCompilerOptionsFromJson(options, folder).options, fileName: join(folder, file) }) // prettier-ignore
    const path = join(folder, file.replace('src', 'dist').replace(/\.ts$/, '.js'))
    for (const [name, text] of [
      [join(folder, file), source],
      [path, outputText],
    ]) {
      mkdirSync(dirname(name), { recursive: true })
      writeFileSync(name, text)
    }
    if (sourceMap) writeFileSync(`${path}.map`, sourceMapText.replace(/"sources":\["[^"]*"/, `"sources":["../${file}"`)) // prettier-ignore
    const script = { url: pathToFileURL(path).href, text: outputText, sourceMap: sourceMap ? `${path.split('/').at(-1)}.map` : '' } // prettier-ignore
    return { ...script, parsed: parseScript(outputText), placeOf: placesOf(script) }
  })
}

test('of what a compiler wrote with source maps they are the sources alone, whatever it puts first', (t) => {
  const folder = testFolder(t)('app')
  const ran = compiled(folder, { sourceMap: true })
  assert.match(ran[0].text, /^"use strict";\nObject/)
  const app = createAppFiles(folder, ran, [join(folder, 'dist/index.js')])
  assert.deepEqual(app.scripts.map(app.nameOf).sort(), ['src/index.ts', 'src/primes.ts']) // prettier-ignore
  const primes = ran[0].parsed.functions.find(({ node }) => node.id?.name === 'primes')
  const original = app.original(ran[0], primes.node)
  assert.ok(app.scripts.includes(original.script))
  assert.equal(original.node.id.name, 'primes')
})

test('without source maps they are what ran', (t) => {
  const folder = testFolder(t)('app')
  const app = createAppFiles(folder, compiled(folder, { sourceMap: false }))
  assert.deepEqual(app.scripts.map(app.nameOf).sort(), ['dist/index.js', 'dist/primes.js'])
})
