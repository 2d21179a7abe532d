// Results that differ by no more than the time or chance: two calls with the same arguments show which part that is.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sameBut } from '../../../../../build/measure/doctor/proof/replay/same-but.js'

const compare = (expected, one, other) => sameBut({ expected, alone: [one, other] })

describe('a result that is as expected but for what differs from call to call', () => {
  for (const [what, expected, one, other] of [
    ['has a part that is always the same', { id: 1, at: 'x1' }, { id: 1, at: 'x2' }, { id: 1, at: 'x3' }],
    ['is a text with another middle', 'token 4711 end', 'token 8155 end', 'token 0816 end'],
    ['is bytes of about the same length', Buffer.alloc(100), Buffer.alloc(99, 1), Buffer.alloc(101, 2)],
    ['is a list in which one element differs', [1, 2, 30], [1, 2, 31], [1, 2, 32]],
  ])
    test(what, () => assert.ok(compare(expected, one, other) > 0))
})

test('of more calls, what begins alike in two by chance counts as nothing', () => {
  assert.equal(sameBut({ expected: { n: 1, id: 'c0f' }, alone: [{ n: 1, id: 'a71' }, { n: 1, id: 'a93' }] }), null) // prettier-ignore
  assert.ok(sameBut({ expected: { n: 1, id: 'c0f' }, alone: [{ n: 1, id: 'a71' }, { n: 1, id: 'a93' }, { n: 1, id: '5b2' }] }) > 0) // prettier-ignore
})

describe('a result that is something else', () => {
  for (const [what, expected, one, other] of [
    ['is another value where both calls agree', { id: 1, at: 1 }, { id: 2, at: 2 }, { id: 2, at: 3 }],
    ['begins otherwise', 'cookie 4711 end', 'token 8155 end', 'token 0816 end'],
    ['ends otherwise', 'token 4711 END', 'token 8155 end', 'token 0816 end'],
    ['has another kind where they differ', { at: 'x' }, { at: 1 }, { at: 2 }],
    ['is bytes of another length', Buffer.alloc(100), Buffer.alloc(50, 1), Buffer.alloc(51, 2)],
    ['lacks a part', { at: 1 }, { id: 2, at: 2 }, { id: 2, at: 3 }],
  ])
    test(what, () => assert.equal(compare(expected, one, other), null))

  test('counts as nothing compared where no part is the same', () => {
    assert.equal(compare({ at: 1 }, { at: 2 }, { at: 3 }), 0)
    assert.equal(compare('ab', 'cd', 'ef'), 0)
  })
})
