// What a plan takes from the JSON of a diagnosis.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { readDoctor } from '../../../../build/measure/plan/from-doctor.js'
import { fixture } from '../../../helpers/program.js'
import { testFolder } from '../../../helpers/files.js'

const server = fixture('plan/server.js')
const move = (name, callMs, callsPerSecond, verdict = 'move') => ({ name, callMs, callsPerSecond, verdict })
const diagnosis = (more) => ({
  ...{
    version: 1,
    kind: 'server',
    command: ['node', server, '--port'],
    load: { paths: ['/a', '/b'], perSecond: 50 },
  },
  functions: [
    move('render', 4, 25),
    move('sign', 9, 50, 'cannot'),
    move('price', 2, 50),
    move('rare', null, null),
  ],
  ...more,
})
const read = (t, content) => {
  const file = testFolder(t)('doctor.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readDoctor(file)
}

describe('a diagnosis', () => {
  test('gives the app, its paths, and the work that can move', (t) => {
    const { file, args, paths, movable } = read(t, diagnosis())
    assert.deepEqual([file, args, paths], [server, ['--port'], ['/a', '/b']])
    assert.deepEqual(movable, { names: ['render', 'price'], msPerRequest: 4 })
  })

  test('gives no app and no paths where words of it are hidden, or where it was a command', (t) => {
    assert.equal(read(t, diagnosis({ command: ['node', server, '...'] })).file, undefined)
    assert.equal(read(t, diagnosis({ command: ['npm', 'start'] })).file, undefined)
    const { paths, notes } = read(t, diagnosis({ load: { paths: ['/users/...'], perSecond: 5 } }))
    assert.equal(paths, undefined)
    assert.match(notes[0], /does not tell its paths in full/)
  })

  test('gives nothing to move where nothing can', (t) => {
    assert.equal(read(t, diagnosis({ functions: [] })).movable, null)
  })

  for (const [name, content] of Object.entries({
    'no JSON': '{',
    'another JSON': { cells: [] },
    null: 'null',
    'a script': diagnosis({ kind: 'script' }),
    'an app that did not start': diagnosis({ kind: null }),
  }))
    test(`is refused: ${name}`, (t) => {
      assert.throws(() => read(t, content), { code: 'TW_ERR_INVALID_OPTION', message: /^from must be/ })
    })
})
