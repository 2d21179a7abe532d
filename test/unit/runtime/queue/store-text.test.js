// Ids of users in letters that every store takes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOfStore, sharedId, shownId } from '../../../../build/runtime/queue/store-text.js'

const short = ['a', 'a:b', 'a%3a.b', '\u00fc', '12', '\ud800', '\udc00', 'a b', 'a_b', '%.', 'id-a', 'id-id-a', '__proto__', 'a\0b', '\ud83d\ude00'] // prettier-ignore
const long = ['x'.repeat(500), `${'x'.repeat(499)}y`, '\ud83d\ude00'.repeat(250), '\ud800'.repeat(500)]

test('each one becomes another one, in letters of its own and as long as a key of PostgreSQL may be', () => {
  const ids = [...short, ...long]
  assert.equal(new Set(ids.map(sharedId)).size, ids.length)
  for (const id of ids) {
    assert.match(sharedId(id), /^id-[\w.%@-]+$/)
    assert.ok(sharedId(id).length <= 200)
  }
})

test('is shown as it was given; a long one, and what is nobody of ours, as the store has it', () => {
  for (const id of short) assert.equal(shownId(sharedId(id)), id)
  for (const id of [...long.map(sharedId), '3f2-1', 'by hand']) assert.equal(shownId(id), id)
  for (const id of ['id-%ffffff.', 'id-%', 'id-%zz.']) assert.equal(typeof shownId(id), 'string')
})

test('that of the store is told from one that a user may have given', () => {
  for (const id of short) assert.equal(isOfStore(sharedId(id)), false)
  for (const id of long) assert.equal(isOfStore(sharedId(id)), true)
})
