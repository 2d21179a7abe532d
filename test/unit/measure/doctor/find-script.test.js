// The files that an app imports: those that V8 still has, and those of constants alone, which it has forgotten.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { userFiles } from '../../../../build/measure/doctor/source/find-script.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'
import { testFolder } from '../../../helpers/files.js'

test('a file is found by what may be left out of its name, also where V8 has forgotten it', (t) => {
  const inFolder = testFolder(t)
  writeFileSync(inFolder('kinds.js'), 'exports.K = 3')
  writeFileSync(inFolder('types.ts'), 'export enum K { A }')
  const [app, lib] = ['const k_1 = require("./kinds")', 'exports.g = (a) => a'].map((text) =>
    parseScript(text),
  )
  const script = (name, parsed) => ({ url: pathToFileURL(inFolder(name)).href, parsed })
  const { find, pathOf } = userFiles([script('app.js', app), script('lib.cjs', lib)])
  assert.equal(find(app, './lib'), lib)
  const kinds = find(app, './kinds')
  assert.equal(kinds.text, 'exports.K = 3')
  assert.equal(pathOf(kinds), inFolder('kinds.js'))
  assert.equal(find(kinds, './app'), app)
  assert.deepEqual([find(app, './types'), find(app, './missing')], [null, null])
})
