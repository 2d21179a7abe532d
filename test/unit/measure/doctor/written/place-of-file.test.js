// A copy of what a file reads beside itself, in a module elsewhere.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { extractFiles } from '../../../../../build/measure/doctor/written/extract-module.js'
import { formatModule, PLAIN_STYLE } from '../../../../../build/measure/doctor/written/format-module.js'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'
import { temporaryFolder } from '../../../../helpers/files.js'

const sources = {
  'an ES module': [
    `import { readFileSync } from 'node:fs'
const prices = JSON.parse(readFileSync(new URL('prices.json', import.meta.url), 'utf8'))
export function priceOf(name) { return prices[name] }`,
    PLAIN_STYLE,
  ],
  'CommonJS, as an ES module': [
    `const fs = require('node:fs')
const path = require('node:path')
const prices = JSON.parse(fs.readFileSync(path.join(__dirname, 'prices.json'), 'utf8'))
exports.priceOf = function priceOf(name) { return prices[name] }`,
    PLAIN_STYLE,
  ],
  'CommonJS, as CommonJS': [
    `const fs = require('node:fs')
const path = require('node:path')
const own = path.basename(__filename)
const prices = JSON.parse(fs.readFileSync(path.join(__dirname, 'prices.json'), 'utf8'))
exports.priceOf = function priceOf(name) { return own === 'prices.js' ? prices[name] : own }`,
    { ...PLAIN_STYLE, isCommonJs: true },
  ],
}

for (const [what, [text, style]] of Object.entries(sources))
  test(`${what} finds what lies beside the file that it is of`, async (t) => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'tasks'))
    writeFileSync(join(folder, 'prices.json'), '{"tea":3}')
    const script = parseScript(text)
    const { node } = script.functions.find(({ node: each }) => each.id?.name === 'priceOf')
    const ending = style.isCommonJs ? 'cjs' : 'mjs'
    const plan = { name: 'priceOf', findScript: () => null, pathOf: () => '../prices.js', nameOf: (stem) => `${stem}.${ending}` } // prettier-ignore
    const [file] = extractFiles(script, node, plan)
    const module = formatModule(file, '../prices.js', style)
    writeFileSync(join(folder, 'tasks', module.name), module.text)
    const loaded = await import(pathToFileURL(join(folder, 'tasks', module.name)).href)
    assert.equal(loaded.priceOf('tea'), 3, module.text)
  })
