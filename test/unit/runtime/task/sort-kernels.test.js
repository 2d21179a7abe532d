// What sorts and merges parts of an array inside a worker.
import { test } from 'node:test'
import { mergePart, splitMerge } from '../../../../build/runtime/task/sort-kernels.js'
import { assertSameArray, randomArray } from '../../../helpers/random-arrays.js'

test('a merge cut anywhere gives the same', () => {
  for (let round = 0; round < 300; round++) {
    const [first, second] = [0, 1].map(() => Math.floor(Math.random() ** 2 * 60))
    const length = first + second
    const source = randomArray(Float64Array, length, false, 0.6)
    source.subarray(0, first).sort()
    source.subarray(first, length).sort()
    const expected = source.slice(0, length).sort()
    const target = new Float64Array(length)
    const cut = Math.floor(Math.random() * (length + 1))
    const taken = splitMerge(source, { from: 0, middle: first, to: length }, cut)
    const b = first + cut - taken
    mergePart({ source, target, a: 0, aEnd: taken, b: first, bEnd: b, at: 0 })
    mergePart({ source, target, a: taken, aEnd: first, b, bEnd: length, at: cut })
    assertSameArray(target, expected, `${first} and ${second}, cut at ${cut}`)
  }
})
