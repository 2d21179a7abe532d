// What a profile shows over time, on samples whose answer is known.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { traceProfile } from '../../../../build/measure/doctor/trace-profile.js'

const frame = (functionName, url = '') => ({
  functionName,
  url,
  scriptId: '1',
  lineNumber: 0,
  columnNumber: 0,
})
const node = (id, callFrame, children = []) => ({ id, callFrame, children })
const frames = {
  nameOf: ({ functionName, url }) => (url.includes('/app/') ? functionName : null),
  placeOf: ({ url }) => url,
}

/** `timeline`: pairs of node and milliseconds. */
function profileOf(timeline) {
  const nodes = [
    node(1, frame('(root)'), [2, 3, 4, 6]),
    node(2, frame('(idle)')),
    node(3, frame('(garbage collector)')),
    node(4, frame('handle', 'file:///app/server.js'), [5]),
    node(5, frame('render', 'file:///node_modules/marked/index.js')),
    node(6, frame('send', 'node:http')),
  ]
  const samples = timeline.flatMap(([id, ms]) => Array(ms).fill(id))
  return { nodes, samples, timeDeltas: [0, ...samples.map(() => 1000)], startTime: 0, endTime: 1 }
}

const trace = traceProfile(profileOf([[2, 40], [4, 20], [5, 25], [3, 5], [2, 10], [6, 20], [2, 30]]), frames) // prettier-ignore

describe('a trace', () => {
  test('tells how busy the loop was in each slice', () => {
    assert.deepEqual(trace.busy, [0.2, 0.8, 0.4])
  })

  test('tells the longest turns, and of what they were made', () => {
    assert.deepEqual(trace.turns, [
      { ms: 50, parts: [{ name: 'handle', ms: 45 }, { name: 'garbage collection', ms: 5 }] },
      { ms: 20, parts: [{ name: 'packages, Node.js', ms: 20 }] },
    ]) // prettier-ignore
  })

  test('is a flame graph of the busy time', () => {
    const { share, children } = trace.flame
    assert.equal(share, 1)
    const [handle] = children.filter(({ name }) => name === 'handle')
    assert.deepEqual([handle.isYours, handle.children[0].isYours], [true, false])
    assert.ok(Math.abs(handle.share - 45 / 70) < 0.01)
    assert.ok(!children.some(({ name }) => name === '(idle)'))
  })

  test('of nothing is empty', () => {
    assert.deepEqual(traceProfile(profileOf([]), frames), { sliceMs: 50, busy: [], turns: [], flame: null })
  })
})
