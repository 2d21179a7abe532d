// What the codec keeps between two messages is bounded, and a part of a value keeps no more alive than itself.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BY_MESSAGE, BY_PIPE, carry, receive } from '../../../../../build/runtime/wire/codec/packet.js'
import { collectGarbage } from '../../../../helpers/collect-garbage.js'

const MB = 2 ** 20

/** Megabytes that are held afterwards, and were not before. */
async function kept(code) {
  const before = await held()
  const result = code()
  const after = await held()
  return { megabytes: (after - before) / MB, result }
}

async function held() {
  for (let i = 0; i < 3; i++) {
    collectGarbage()
    await new Promise(setImmediate) // buffers are freed after the collection
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

for (const [name, carrier] of Object.entries({ 'by message': BY_MESSAGE, 'by pipe': BY_PIPE }))
  describe(name, () => {
    const send = (value) => receive(carry(value, { carrier }).carried)
    send([{ a: 1, text: 'x'.repeat(MB) }])

    test('keys that are data leave little behind', async () => {
      const { megabytes } = await kept(() => {
        for (let i = 0; i < 100_000; i++) send({ [`${name} ${i}`]: i, rest: 1 })
      })
      assert.ok(megabytes < 8, `${megabytes} MB`)
    })

    test('so does an object of many keys', async () => {
      const { megabytes } = await kept(() => {
        for (let k = 0; k < 5; k++)
          send(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`${name} ${k} ${i}`, i])))
      })
      assert.ok(megabytes < 8, `${megabytes} MB`)
    })

    test('known kinds of objects stay small after such keys', () => {
      const rows = Array.from({ length: 50 }, (_, i) => ({ identifier: i, description: 'x', quantity: 2 }))
      const length = () => {
        const { carried } = carry(rows, { carrier })
        return carried.length
      }
      const before = length()
      for (let i = 0; i < 40_000; i++) send({ [`junk ${name} ${i}`]: i, [`more ${i}`]: 1 })
      length() // may begin a new tree of shapes
      assert.equal(length(), before)
    })

    test('memory for large values is given back, but for a few spare pieces', async () => {
      const { megabytes } = await kept(() => {
        for (let i = 0; i < 4; i++) {
          send('x'.repeat(40 * MB))
          send([Buffer.alloc(40 * MB), 'y'.repeat(20 * MB)])
          send(Array.from({ length: 20 }, () => 'z'.repeat(MB)))
        }
      })
      assert.ok(megabytes < 24, `${megabytes} MB`)
    })

    test('a text that is kept does not keep its message', async () => {
      const list = Array.from({ length: 2000 }, (_, i) => `text number ${i} of some forty characters`)
      const { megabytes, result } = await kept(() =>
        Array.from({ length: 400 }, (_, i) => send({ list, text: 'x'.repeat(MB / 4) }).list[i]),
      )
      assert.equal(result[7], list[7])
      assert.ok(megabytes < 4, `${megabytes} MB`)
    })

    test('nor does a small Buffer', async () => {
      const value = { small: Buffer.alloc(10), view: new Uint8Array(10), text: 'x'.repeat(MB / 4) }
      const { megabytes, result } = await kept(() =>
        Array.from({ length: 400 }, () => {
          const { small, view } = send(value)
          return [small, view]
        }),
      )
      assert.equal(result.length, 400)
      assert.ok(megabytes < 4, `${megabytes} MB`)
    })
  })
