// Progress on a terminal and elsewhere.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProgress } from '../../../../build/cli/terminal/progress.js'

const cell = { variant: 'love', executor: 'threads', size: 2, cpus: 2 }
const step = (changes) => ({ round: 1, rounds: 2, done: 1, total: 4, cell, throughput: 120, ...changes })

function shown(stream, steps) {
  let written = ''
  let now = 0
  const view = createProgress({ ...stream, write: (text) => (written += text) }, () => now)
  for (const each of steps) {
    now += 1000
    if (typeof each === 'string') view.note(each)
    else view.show(each)
  }
  view.end()
  return written
}

describe('progress', () => {
  test('elsewhere is a plain line for each round', () => {
    const text = shown({}, [step(), step({ done: 2 }), step({ done: 3, round: 2 })])
    const lines = text.split('\n')
    assert.equal(lines.length, 3)
    assert.match(lines[0], /^round 1\/2, trial 1\/4, about 3 s left: love on threads 2 at 2 CPUs: 120\D/)
    assert.match(lines[1], /^round 2\/2, trial 3\/4, about 1 s left/)
    assert.ok(!text.includes('\r'))
  })

  test('counts the time left from the start of a part, not from that of the run', () => {
    const parts = [1, 2, 3, 4, 1, 2].map((done) => step({ done }))
    const left = [...shown({ isTTY: true, columns: 200 }, parts).matchAll(/about (\d+) s left/g)]
    assert.deepEqual(left.map(([, seconds]) => Number(seconds)), [3, 2, 1, 0, 3, 2]) // prettier-ignore
  })

  test('on a terminal is one line, which is rewritten and removed at the end', () => {
    const text = shown({ isTTY: true, columns: 30 }, [step(), step({ done: 2 })])
    assert.ok(!text.includes('\n'))
    assert.ok(text.endsWith('\r\u001b[K'))
    const [, first] = text.split('\r\u001b[K')
    assert.equal(first.length, 29, 'it never wraps')
  })

  test('on a terminal makes room for a note', () => {
    const text = shown({ isTTY: true }, [step(), 'Report: here'])
    assert.ok(text.endsWith('\r\u001b[KReport: here\n'), JSON.stringify(text))
  })

  test('says that a trial failed, and nothing where there is no throughput', () => {
    assert.match(shown({}, [step({ throughput: null })]), /at 2 CPUs: failed$/m)
    assert.match(shown({}, [step({ throughput: undefined })]), /at 2 CPUs$/m)
    assert.match(shown({}, [step({ cell: { ...cell, executor: 'inline', cpus: 1 } })]), /on inline at 1 CPU:/)
  })
})
