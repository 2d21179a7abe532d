// lab image: its rows, what it says about made-up figures, and its pictures on real executors.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { inline, threads } from '../../../../dist/index.js'
import { start } from '../../../../build/lab/programs/image-program.js'
import { image, makePicture } from '../../../../build/lab/experiments/image.js'
import { decodePng, encodePng } from '../../../../build/lab/programs/png.js'
import { blurTile, blurWeights } from '../../../../build/lab/tasks/blur-tile.js'
import { testFolder } from '../../../helpers/files.js'
import { measuredRows } from '../made-up-rows.js'

const values = { image: '', size: 150, radius: 5, threads: [1, 2], out: '' }
const conclude = (figures) => image.conclude(measuredRows(image, values, figures), values)
const ratios =
  (...bySize) =>
  ({ cell }) => ({ ratio: cell.executor === 'inline' ? [1, 1, 1] : bySize[cell.size - 1] })

function blur(rgba, { width, height, radius }) {
  const target = new Uint8Array(rgba.length)
  const tile = { left: 0, top: 0, right: width, bottom: height }
  blurTile({ source: rgba, target, width, height, weights: blurWeights(radius), tile })
  return target
}

describe('lab image', () => {
  test('has a sentence that follows from the intervals', () => {
    assert.match(
      conclude(ratios(1, 1.9)).sentence,
      /^Blurring is worth threads here: 2 threads give 1\.90 times/,
    )
    assert.match(
      conclude(ratios(0.9, 1)).sentence,
      /^Blurring is not worth threads here: 2 threads give 1\.00/,
    )
    assert.match(
      conclude(ratios(0.9, [1.3, 0.9, 1.9])).sentence,
      /^Blurring: cannot tell, .*a larger --budget while nothing else runs\.$/,
    )
    assert.match(conclude(() => ({ failed: 'no' })).sentence, /could not be measured/)
  })

  test('says that the bytes are the same only when every call of every row was', () => {
    assert.match(conclude(ratios(1, 1)).remarks.join(), /to the byte/)
    assert.doesNotMatch(conclude(() => ({ errorRate: 0.01 })).remarks.join(), /to the byte/)
  })

  test('a blur keeps what is even, at the edges too, and spreads what is not', () => {
    for (const radius of [1, 5, 64, 256]) {
      const weights = blurWeights(radius)
      assert.equal(weights.length, 2 * radius + 1)
      assert.ok(weights.every((weight) => weight >= 0))
      const even = new Uint8Array(4 * 9 * 7).fill(200)
      assert.deepEqual(blur(even, { width: 9, height: 7, radius }), even)
    }
    const dot = new Uint8Array(4 * 9 * 9)
    dot.fill(255, 4 * 40, 4 * 41)
    const blurred = blur(dot, { width: 9, height: 9, radius: 2 })
    const at = (x, y) => blurred[4 * (9 * y + x)]
    assert.ok(at(4, 4) > at(5, 4) && at(5, 4) > at(6, 4) && at(6, 4) > 0)
    assert.deepEqual([at(7, 4), at(3, 4), at(4, 3)], [0, at(5, 4), at(5, 4)])
  })

  test('tiles on every executor give the picture of one thread to the byte, and it says so when they do not', async (t) => {
    const out = testFolder(t)('blurred-too.png')
    const folder = testFolder(t)('.')
    const { found } = await image.prepare({ ...values, out }, folder)
    assert.match(found[0], /^The picture has 150 x 150 pixels; blurred it is in /)
    assert.deepEqual(readFileSync(out), readFileSync(join(folder, 'blurred.png')))
    const rows = image.rows(values, folder)
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['plain loop', '1 thread', '2 threads'],
    )
    const startRow = async ({ cell: { source, executor: kind, size } }) => {
      const executor = kind === 'inline' ? inline(source.url) : threads(source.url, { size })
      t.after(() => executor.close())
      return start(executor, ...source.inputs[0])
    }
    for (const row of rows) await (await startRow(row))()
    writeFileSync(join(folder, 'blurred.png'), readFileSync(join(folder, 'picture.png')))
    await assert.rejects(startRow(rows[2]), /differs from the one that was blurred in one thread/)
  })

  test('takes a picture of the user, and says what is wrong with one that it cannot use', async (t) => {
    const path = testFolder(t)
    writeFileSync(path('own.png'), encodePng(await makePicture(20)))
    const folder = testFolder(t)('.')
    const { found } = await image.prepare({ ...values, image: path('own.png') }, folder)
    assert.equal(found[0], 'The picture has 20 x 20 pixels.')
    assert.ok(existsSync(path('own.png')))
    writeFileSync(path('text.png'), 'not a picture')
    const cases = [
      [{ image: path('text.png') }, /^image must be a PNG file .*does not begin as a PNG does.*text\.png/],
      [{ image: path('none.png') }, /^image must be a PNG file that can be read \(ENOENT/],
      [{ out: path('no/such/folder.png') }, /^out must be a file that can be written \(ENOENT/],
    ]
    for (const [changes, message] of cases)
      await assert.rejects(image.prepare({ ...values, ...changes }, folder), {
        code: 'TW_ERR_INVALID_OPTION',
        message,
      })
  })

  test('a PNG that it wrote is what it reads', async () => {
    const picture = await makePicture(33)
    assert.deepEqual(decodePng(encodePng(picture)), picture)
  })
})
