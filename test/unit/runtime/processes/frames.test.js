// Messages between two processes as pieces of bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { FrameReader, frameOf } from '../../../../build/runtime/processes/frames.js'
import { BY_PIPE, carry, receive } from '../../../../build/runtime/wire/codec/packet.js'
import { takeSpare } from '../../../../build/runtime/wire/codec/spare-memory.js'

test('buffers of more than 2 GB together are refused by who sends them: the other side would end', () => {
  const half = Buffer.alloc(2 ** 30) // memory that nobody touches takes none
  assert.equal(frameOf([half]).length, 2)
  assert.throws(() => frameOf([half, Buffer.alloc(2 ** 30)]), /larger than 2 GB/)
})

test('messages arrive whole in whatever pieces, and none changes what came before it', () => {
  const random = createRandom(7)
  const valueOf = (i) => {
    const length = [3, 900, 5_000, 70_000, 300_000][i % 5] + i
    return { i, text: `${i}`.repeat(length), wide: `${i}€`.repeat(length), bytes: Buffer.alloc(length, i), list: new Uint16Array(length).fill(i) } // prettier-ignore
  }
  const values = Array.from({ length: 40 }, (_, i) => valueOf(i))
  const received = []
  const reader = new FrameReader((message) => received.push(...message.map((packet) => receive(packet))))
  for (let i = 0; i < values.length; i += 2) {
    const packets = [values[i], values[i + 1]].map((value) => carry(value, { carrier: BY_PIPE }).carried)
    const bytes = Buffer.concat(frameOf(packets))
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + Math.floor(random() * 65_536)
      reader.read(Buffer.from(bytes.subarray(at, end)))
      at = end
    }
  }
  assert.equal(received.length, values.length)
  received.forEach((value, i) => assert.ok(isDeepStrictEqual(value, values[i]), `value ${i}`))
})

test('a forged message that holds one packet twice gives no memory to two others', () => {
  const packet = carry({ text: 'x'.repeat(100_000) }, { carrier: BY_PIPE }).carried
  const messages = []
  const reader = new FrameReader((message) => messages.push(message))
  reader.read(Buffer.concat(frameOf([packet, packet])))
  for (const each of messages[0]) receive(each)
  const memory = [1, 2, 3, 4, 5].map(() => takeSpare()).filter(Boolean)
  assert.equal(new Set(memory).size, memory.length)
})
