// Keys and shapes have no limits that structured clone does not have.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BY_PIPE, carry, copyValue, receive } from '../../../../../build/runtime/wire/codec/packet.js'

const ways = {
  'by message': copyValue,
  'by pipe': (value) => receive(carry(value, { carrier: BY_PIPE }).carried),
}
/** Objects each of which has other keys: those of the bits that are set. */
const shapes = (count) =>
  Array.from({ length: count }, (_, i) => {
    const row = {}
    for (let bit = 0; bit < 18; bit++) if ((i >> bit) & 1) row[`f${bit}`] = bit
    return row
  })

for (const [way, send] of Object.entries(ways))
  describe(`sent ${way}`, () => {
    for (const letter of ['k', 'é', 'ж', '\ud800'])
      for (const length of [127, 128, 129, 32_767, 32_768, 70_000])
        test(`a key of ${length} characters such as ${JSON.stringify(letter)}`, () => {
          const key = letter.repeat(length)
          const value = { [key]: 1, list: [{ [key]: 2, after: 3 }, { before: 4, [key]: 5 }], map: new Map([[{ [key]: 6 }, key]]) } // prettier-ignore
          assert.deepStrictEqual(send(value), value)
        })

    test('many long keys in one object', () => {
      for (const length of [100, 128, 1000]) {
        const value = {}
        for (let i = 0; i < 300; i++) value[`${'ж'.repeat(length)}${i}`] = { i }
        const copy = send([value, value])
        assert.deepStrictEqual(copy, [value, value])
        assert.deepStrictEqual(Object.keys(copy[0]), Object.keys(value))
      }
    })

    test('more shapes than there are numbers for, also one object in another', () => {
      const rows = shapes(70_000)
      let nested = { end: 1 }
      for (let i = 0; i < 900; i++) nested = { [`level${i}`]: nested, more: i }
      assert.deepStrictEqual(send([rows, nested, nested]), [rows, nested, nested])
    })
  })
