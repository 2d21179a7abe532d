// Between a pool and a worker, in all interleavings: no call stays with a worker that is kept by what nobody waits for, and none is ended that
// computes for a caller or merely waits. The model is in life-model.js.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findTrap } from './explore.js'
import { lifeModel } from './life-model.js'

const wrongOf = ({ wrong }) => wrong || undefined

/** All that is open is where it belongs: a promise that may settle, or a call that computes for its caller, with what lies behind it. */
function isOver({ calls, thread, isEnded, inbox, outbox, batch }) {
  const open = calls.filter(({ settled }) => settled === '')
  if (open.length === 0) return true
  const [what, id] = thread.split(' ')
  if (what === 'runs') return calls[id].settled === ''
  if (what === 'kept') return open.every(({ isWaiting }) => isWaiting) // it may compute for one of them: nobody can tell
  const isQuiet = !isEnded && inbox.length + outbox.length + batch.length === 0
  return isQuiet && open.every(({ at, kind, isWaiting }) => at === 'open' && kind === 'waits' && isWaiting)
}

const KINDS = ['value', 'long', 'waits', 'blocks', 'leaves']
const lists = [...KINDS.map((kind) => [kind]), ...KINDS.flatMap((one) => KINDS.map((other) => [one, other]))]
const WHO = [[], [0], [1], [0, 1]]

/** The first system in which something goes wrong. */
function problemIn(counts, kinds, flaws = []) {
  for (const impatient of WHO) {
    const { goods, violation, state, trap } = findTrap(lifeModel({ kinds, impatient, counts, flaws }), isOver, wrongOf) // prettier-ignore
    const problem = violation ?? (trap ? 'a call is lost' : goods === 0 ? 'nothing ends' : undefined)
    if (problem) return `${problem}; may be given up: ${impatient}; ${JSON.stringify(state ?? trap)}`
  }
  return undefined
}

for (const counts of [true, false]) {
  describe(counts ? 'threads, which count what they begin' : 'processes and pages, which announce it', () => {
    for (const kinds of lists)
      test(kinds.join(', then '), () => assert.equal(problemIn(counts, kinds), undefined))
  })
}

describe('the model notices where', () => {
  const flawed = {
    'only idle workers announce': [false, ['blocks', 'value']],
    'nobody knows what has begun': [true, ['blocks', 'waits']],
    'it is ended though it computes': [true, ['waits', 'long']],
    'neighbours are not looked at': [true, ['value', 'blocks']],
  }
  for (const [flaw, [counts, kinds]] of Object.entries(flawed))
    test(flaw, () => assert.notEqual(problemIn(counts, kinds, [flaw]), undefined))
})
