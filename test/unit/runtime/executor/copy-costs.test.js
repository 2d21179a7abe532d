// When a map() is said to copy more than it works.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCopyCosts } from '../../../../build/runtime/executor/copy-costs.js'

/** The codes of the warnings that follow from these answers. */
async function warned(t, ...maps) {
  const warnings = []
  const emit = t.mock.method(process, 'emitWarning', (message, { code }) => warnings.push([code, message]))
  const costs = createCopyCosts(() => 'threads "rows"')
  for (const answers of maps) {
    const note = costs.watch('score')
    for (const answer of answers) note({ results: new Array(100), isAsync: false, ...answer })
  }
  emit.mock.restore()
  return warnings
}
const many = (answer, count = 20) => new Array(count).fill(answer)

test('once for each executor, with how long both took', async (t) => {
  const inVain = many({ us: 1000, readUs: 5000 })
  const [[code, message], ...more] = await warned(t, inVain, inVain)
  assert.deepEqual([code, more], ['TW_WARN_COPIES', []])
  assert.match(message, /^map\("score"\) of threads "rows" copies more than it works: .* 1000 inputs in 50 ms, and worked on them for 10 ms/) // prettier-ignore
})

test('not where the work takes longer, nothing is known, or little was read', async (t) => {
  for (const answers of [
    many({ us: 5000, readUs: 1000 }),
    many({ us: 1000 }),
    many({ us: 100, readUs: 1000 }),
    many({ us: 0, readUs: 9000, isAsync: true }),
  ])
    assert.deepEqual(await warned(t, answers), [])
})

test('not for a few calls during which others took the CPU', async (t) => {
  const calm = many({ us: 500, readUs: 50 })
  assert.deepEqual(await warned(t, [...calm, { us: 500, readUs: 90_000 }, ...calm]), [])
  assert.deepEqual(await warned(t, [...calm, ...many({ us: 500, readUs: 9000 }, 10)]), [])
})
