// PNG files that others write: colour types, depths, filters, and broken ones.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { decodePng, encodePng } from '../../../../build/lab/programs/png.js'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
function chunk(type, data) {
  const typed = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(typed), 4)
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)])
}

/** A PNG of one row or more; each line begins with its filter. */
function png({ width, height = 1, depth = 8, colour, interlace = 0, lines, extra = [] }) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, interlace], 8)
  const data = deflateSync(Buffer.from(lines.flat()))
  const others = extra.map(([type, bytes]) => chunk(type, Buffer.from(bytes)))
  // The data may lie in several chunks.
  const parts = [data.subarray(0, 3), data.subarray(3)].map((part) => chunk('IDAT', part))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...others,
    ...parts,
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const pixels = (file) => [...decodePng(png(file)).rgba]

describe('decodePng', () => {
  test('reads every colour type', () => {
    assert.deepEqual(pixels({ width: 2, colour: 0, lines: [[0, 7, 9]] }), [7, 7, 7, 255, 9, 9, 9, 255])
    assert.deepEqual(pixels({ width: 1, colour: 2, lines: [[0, 1, 2, 3]] }), [1, 2, 3, 255])
    assert.deepEqual(pixels({ width: 1, colour: 4, lines: [[0, 7, 100]] }), [7, 7, 7, 100])
    assert.deepEqual(pixels({ width: 1, colour: 6, lines: [[0, 1, 2, 3, 4]] }), [1, 2, 3, 4])
    const extra = [['PLTE', [1, 2, 3, 4, 5, 6]], ['tRNS', [50]]] // prettier-ignore
    assert.deepEqual(pixels({ width: 2, colour: 3, lines: [[0, 1, 0]], extra }), [4, 5, 6, 255, 1, 2, 3, 50])
  })

  test('scales 16 bits down to 8', () => {
    assert.deepEqual(
      pixels({ width: 1, colour: 2, depth: 16, lines: [[0, 1, 99, 2, 99, 3, 99]] }),
      [1, 2, 3, 255],
    )
    assert.deepEqual(pixels({ width: 1, colour: 4, depth: 16, lines: [[0, 7, 99, 100, 99]] }), [7, 7, 7, 100])
  })

  test('undoes every filter', () => {
    const grey = (filter) => {
      const lines = [[0, 10, 20, 30], [filter, 1, 2, 250]] // prettier-ignore
      const rgba = pixels({ width: 3, height: 2, colour: 0, lines })
      return [3, 4, 5].map((at) => rgba[4 * at])
    }
    assert.deepEqual(grey(0), [1, 2, 250])
    assert.deepEqual(grey(1), [1, 3, 253])
    assert.deepEqual(grey(2), [11, 22, 24])
    assert.deepEqual(grey(3), [6, 15, 16])
    assert.deepEqual(grey(4), [11, 22, 24])
  })

  test('reads interlaced pictures, and values of less than a byte', () => {
    assert.deepEqual(pixels({ width: 1, colour: 0, interlace: 1, lines: [[0, 7]] }), [7, 7, 7, 255])
    assert.deepEqual(pixels({ width: 2, colour: 0, depth: 4, lines: [[0, 0x1f]] }), [17, 17, 17, 255, 255, 255, 255, 255]) // prettier-ignore
  })

  test('says what it cannot read', () => {
    const good = { width: 1, colour: 0, lines: [[0, 7]] }
    const reason = (file) => decodePng(file).unreadable
    assert.match(reason(png({ ...good, depth: 5 })), /^it is damaged: /)
    const changed = png(good)
    changed[changed.indexOf('IDAT') + 4] ^= 1
    assert.match(reason(changed), /^it is damaged: /)
    assert.match(reason(png({ ...good, width: 20_000, height: 20_000 })), /more than 100000000 pixels/)
    assert.equal(reason(Buffer.from('GIF89a')), 'it does not begin as a PNG does')
    assert.equal(reason(signature), 'it has no header')
    const whole = encodePng({ width: 1, height: 1, rgba: new Uint8Array(4) })
    for (let end = 24; end < whole.length; end++) assert.equal(reason(whole.subarray(0, end)), 'its end is missing') // prettier-ignore
  })
})

test('what was written is read back, whatever the memory that it lies in', () => {
  const rgba = new Uint8Array(new SharedArrayBuffer(20), 4, 16).map((_, i) => 16 * i)
  const file = encodePng({ width: 2, height: 2, rgba })
  assert.deepEqual([...decodePng(file).rgba], [...rgba])
  assert.deepEqual(encodePng({ width: 2, height: 2, rgba }), file)
})
