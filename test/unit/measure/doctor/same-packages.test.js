// The packages that a task module finds are those of its app.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { otherPackage } from '../../../../build/measure/doctor/proof/same-packages.js'

const top = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
after(() => rmSync(top, { recursive: true, force: true }))
for (const path of ['app/src', 'app/.threadwise', 'app/node_modules/own', 'app/node_modules/@scope/part', 'node_modules/own', 'else'])
  mkdirSync(join(top, path), { recursive: true }) // prettier-ignore

const from = (text, folder) => otherPackage(text, join(top, 'app/src'), join(top, folder))

describe('packages of a task module', () => {
  test('are the same from a folder within the app', () => {
    const text = "import { a } from 'own'\nimport b from \"@scope/part/deep.js\"\nconst c = require('own/c')"
    assert.equal(from(text, 'app/.threadwise'), null)
  })

  test('are others, or none, from a folder elsewhere', () => {
    assert.equal(from("import { a } from 'own'", 'else'), 'own')
    assert.equal(from("import 'own'", 'else'), 'own')
    assert.equal(from("import b from '@scope/part/deep.js'", 'else'), '@scope/part')
    assert.equal(from("const { c } = require('own')", 'else'), 'own')
  })

  test('are not those of Node.js, nor files, nor what the app does not have itself', () => {
    for (const name of ['fs', 'node:fs', './own.js', '../own', 'missing'])
      assert.equal(from(`import a from '${name}'`, 'else'), null)
  })
})
