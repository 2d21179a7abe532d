// Names of functions that have none, by what holds them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { heldName } from '../../../../../build/measure/doctor/source/function-name.js'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'

/** Of the function that begins where `() =>` does. */
function nameIn(code) {
  const found = parseScript(code).at(code.indexOf('() =>'))
  return heldName(found.path)
}

describe('a function without a name has that of', () => {
  for (const [what, code, name] of [
    ['its variable', 'const total = () => 1', 'total'],
    ['its variable, one of two', 'const total = x ? null : () => 1', 'total'],
    ['its key', "const routes = { '/report': () => 1 }", '/report'],
    ['its entry of a map', "const routes = new Map([['/report', () => 1]])", '/report'],
    ['what it is assigned to', 'app.locals.total = () => 1', 'total'],
    ['its route', "app.get('/report', auth, () => 1)", 'app.get /report'],
    ['what it is given to', 'rows.map(() => 1)', 'rows.map callback'],
    ['its name before it was compiled', 'const a = __name(() => 1, "total")', 'total'],
    ['the default of its module', 'export default () => 1', 'default'],
  ])
    test(what, () => assert.equal(nameIn(code), name))

  test('nothing, where nothing holds it', () => assert.equal(nameIn(';(() => 1)()'), null))
})
