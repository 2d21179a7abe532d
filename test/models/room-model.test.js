// A worker with more replies than room in its ring, in all interleavings: main gets every reply, and nobody sleeps before that.
// The model is in room-model.js.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { explore } from './explore.js'
import { roomModel } from './room-model.js'

const stuck = ({ ends }, replies) => ends.filter(({ settled }) => settled !== replies.length)

describe('every reply reaches main', () => {
  for (const room of [1, 2]) {
    for (const replies of [
      ['late', 'late'],
      ['late', 'late', 'late', 'late', 'late'],
      ['now', 'now', 'now'],
      ['late', 'late', 'now', 'late', 'now', 'late'],
    ]) {
      test(`${replies}, room for ${room}`, () => {
        const walk = explore(roomModel({ replies, room }))
        assert.deepEqual(stuck(walk, replies).slice(0, 1), [])
        assert.ok(walk.ends.length > 0 && walk.states > 50, `${walk.states} states`)
      })
    }
  }
})

describe('the model notices a protocol with', () => {
  for (const [flaw, replies] of [
    ['no look at the backlog before the event loop', ['late', 'late', 'late']],
    ['no look before the futex', ['now', 'now']],
  ]) {
    test(flaw, () => {
      assert.ok(stuck(explore(roomModel({ replies, flaws: [flaw] })), replies).length > 0)
    })
  }
})
