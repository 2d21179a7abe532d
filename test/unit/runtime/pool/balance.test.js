// Which worker gets a call, by the rules of `balance`, and by key.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkBalance, createRule, laneOf } from '../../../../build/runtime/pool/balance.js'

const loads = (...open) => open.map((each) => ({ open: each }))
const chosen = (rule, times, lanes) => Array.from({ length: times }, () => rule(lanes, 'f', []))

describe('round-robin', () => {
  test('takes the workers in turn, whatever they have to do', () => {
    assert.deepEqual(chosen(createRule('round-robin'), 5, loads(9, 0, 3)), [0, 1, 2, 0, 1])
  })

  test('of two pools are independent', () => {
    const [a, b] = [createRule('round-robin'), createRule('round-robin')]
    assert.deepEqual([...chosen(a, 1, loads(0, 0)), ...chosen(b, 2, loads(0, 0))], [0, 0, 1])
  })
})

test('random takes each worker about as often', () => {
  const counts = [0, 0, 0]
  for (const lane of chosen(createRule('random'), 3000, loads(0, 0, 0))) counts[lane]++
  for (const count of counts) assert.ok(count > 800 && count < 1200, String(counts)) // 1000 +- 7.7 standard deviations
})

describe('least-busy', () => {
  test('takes the worker with the fewest open calls', () => {
    assert.deepEqual(chosen(createRule('least-busy'), 3, loads(2, 1, 5)), [1, 1, 1])
  })

  test('takes equals in turn', () => {
    assert.deepEqual(chosen(createRule('least-busy'), 4, loads(1, 1, 1)), [0, 1, 2, 0])
    assert.deepEqual(chosen(createRule('least-busy'), 4, loads(1, 7, 1)), [0, 2, 0, 2])
  })
})

describe('a function', () => {
  test('sees the loads and the call', () => {
    const seen = []
    const rule = createRule((workers, call) => {
      seen.push({ open: workers.map(({ open }) => open), call })
      return 1
    })
    assert.equal(rule(loads(3, 4), 'blur', [7]), 1)
    assert.deepEqual(seen, [{ open: [3, 4], call: { name: 'blur', args: [7] } }])
  })

  for (const wrong of [-1, 2, 0.5, NaN, undefined, '0', null]) {
    test(`that answers ${String(wrong)} is refused`, () => {
      const rule = createRule(() => wrong)
      assert.throws(() => rule(loads(0, 0), 'blur', []), {
        code: 'TW_ERR_INVALID_CALL',
        message: /run\("blur"\) needs a whole number from 0 to 1 from the balance function/,
      })
    })
  }
})

test('other balances are refused', () => {
  for (const wrong of ['fastest', '', null, 1, {}, 'toString'])
    assert.throws(() => checkBalance(wrong), { code: 'TW_ERR_INVALID_OPTION' }, String(wrong))
})

describe('lanes', () => {
  test('a key always has the same one, as text or as a number', () => {
    for (const key of ['', 'a', 'user-17', 17, -0.5, NaN])
      assert.equal(laneOf(key, 7), laneOf(String(key), 7))
  })

  test('keys spread over all', () => {
    for (const lanes of [2, 3, 8, 64]) {
      const counts = new Array(lanes).fill(0)
      for (const key of [
        (i) => `user-${i}`,
        (i) => `${i}-${i}`,
        (i) => `/users/${i}/documents/${i}`,
        (i) => i,
        (i) => 2 * i,
      ]) {
        counts.fill(0)
        for (let i = 0; i < 1000 * lanes; i++) counts[laneOf(key(i), lanes)]++
        for (const count of counts)
          assert.ok(count > 700 && count < 1300, `${lanes} lanes, ${key}: ${counts}`)
      }
    }
  })

  test('few small numbers spread, too', () => {
    for (const lanes of [2, 3, 4]) {
      const counts = new Array(lanes).fill(0)
      for (let key = 0; key < 10; key++) counts[laneOf(key, lanes)]++
      assert.ok(Math.min(...counts) >= 2, `${counts}`)
    }
  })
})
