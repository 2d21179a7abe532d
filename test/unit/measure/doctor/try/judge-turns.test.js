import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trialFigures, judgeTurns } from '../../../../../build/measure/doctor/try/judge-turns.js'
import { stepsOfTrial } from '../../../../../build/measure/doctor/conclude.js'
import {
  applyCommand,
  judgeTrial,
  trialSentence,
} from '../../../../../build/measure/doctor/try/trial-sentence.js'
import { createRandom } from '../../../../../build/measure/stats/random.js'

/** Turns in which all times are about `ms`, and so many requests fit. */
function turn(random, index, { ms, fit, busy }) {
  const about = (value) => value * (0.9 + 0.2 * random())
  const latencies = new Map([['/a', Array.from({ length: 40 }, () => about(ms))]])
  const calm = index % 2 === 0 ? { busy: about(busy), cpuMs: 100, requests: 40 } : null
  const delay = index % 2 === 0 ? null : { delayMs: { p50: about(1), p99: about(ms) } }
  return { latencies, failures: 0, calm, delay, throughput: about(fit) }
}

function rounds(before, after) {
  const random = createRandom(7)
  return Array.from({ length: 8 }, (_, i) => ({
    before: turn(random, i, before),
    after: turn(random, i, after),
  }))
}

const slow = { ms: 40, fit: 100, busy: 0.8 }
const verdictsOf = (ratios) => Object.fromEntries(ratios.map(({ metric, verdict }) => [metric, verdict]))

test('what is better is told, and more requests are better', () => {
  const ratios = judgeTurns(rounds(slow, { ms: 4, fit: 200, busy: 0.3 }), ['/a'], 1)
  assert.deepEqual(verdictsOf(ratios), { throughput: 'faster', busy: 'faster', delay: 'faster', cpu: 'same', p50: 'faster', p99: 'faster' }) // prettier-ignore
  const { ratio } = ratios.find(({ metric }) => metric === 'throughput')
  assert.ok(ratio.low < 2 && ratio.high > 1.9 && ratio.value > 1.8, JSON.stringify(ratio))
})

test('what is worse is told', () => {
  const ratios = judgeTurns(rounds(slow, { ms: 80, fit: 50, busy: 0.9 }), ['/a'], 1)
  const { throughput, p99 } = verdictsOf(ratios)
  assert.deepEqual({ throughput, p99 }, { throughput: 'slower', p99: 'slower' })
})

test('intervals hold the truth about as often as they say', () => {
  let held = 0
  for (let seed = 0; seed < 40; seed++) {
    const random = createRandom(seed)
    const same = Array.from({ length: 8 }, (_, i) => ({ before: turn(random, i, slow), after: turn(random, i, slow) })) // prettier-ignore
    const { ratio } = judgeTurns(same, ['/a'], seed).find(({ metric }) => metric === 'throughput')
    if (ratio.low <= 1 && ratio.high >= 1) held++
  }
  assert.ok(held >= 34, `${held} of 40`)
})

const trial = (after, responses = { compared: 300, equal: 300, masked: 0 }) => {
  const seen = rounds(slow, after)
  return {
    ...{
      functions: [{ name: 'render', way: 'threads' }],
      forms: [],
      responses,
      ratios: judgeTurns(seen, ['/a'], 1),
    },
    before: trialFigures(seen.map((each) => each.before), ['/a'], null), // prettier-ignore
    after: trialFigures(seen.map((each) => each.after), ['/a'], null), // prettier-ignore
  }
}

test('a gain is worth a patch, and its sentence says all of it', () => {
  const better = trial({ ms: 4, fit: 200, busy: 0.3 })
  assert.deepEqual(judgeTrial(better, null), { isWorth: true, why: null })
  assert.match(trialSentence(better, 2), /^Move render to 2 threads: \/a answers in [\d.]+ ms instead of [\d.]+ ms \(p99\), the event loop is busy \d+ % instead of \d+ % and the server answers [\d.]+x \([\d.]+-[\d.]+\) the requests\. 300 of 300 responses were the same\.$/) // prettier-ignore
  const login = { name: 'login', way: 'promise' }
  const other = { ...better, functions: [login], forms: [['pbkdf2Sync', 'pbkdf2']] }
  assert.match(trialSentence(other, 2), /^Use pbkdf2 in place of pbkdf2Sync in login: \/a answers in /)
  const both = { ...other, functions: [...better.functions, login] }
  assert.match(trialSentence(both, 1), /^Move render to a thread, and use pbkdf2 in place of pbkdf2Sync in login: /) // prettier-ignore
})

test('no patch where answers differ, nothing is gained, or requests are lost', () => {
  const better = { ms: 4, fit: 200, busy: 0.3 }
  assert.match(judgeTrial(trial(better, { compared: 300, equal: 299, masked: 0 }), '/a: x').why, /1 of 300 responses differ \(\/a: x\)/) // prettier-ignore
  assert.match(judgeTrial(trial(slow), null).why, /nothing is gained/)
  assert.match(judgeTrial(trial({ ms: 4, fit: 50, busy: 0.9 }), null).why, /of the requests/)
  assert.equal(judgeTrial(trial(better, { compared: 0, equal: 0, masked: 0 }), null).isWorth, false)
})

test('what to do is to measure the app as it is, to take the change, and to see it', () => {
  const trial = { patchFile: 'threadwise.patch', isApplied: false, functions: [{ way: 'threads' }] }
  assert.equal(applyCommand({ ...trial, patchFile: null }), null)
  const onThreads = { ...trial, functions: [{ way: 'threads' }, { way: 'promise' }] }
  assert.equal(applyCommand(onThreads), 'git apply threadwise.patch && npm install threadwise')
  assert.equal(applyCommand({ ...onThreads, isApplied: true }), 'npm install threadwise')
  const alone = { ...trial, functions: [{ way: 'promise' }] }
  assert.equal(applyCommand(alone), 'git apply threadwise.patch')
  assert.equal(applyCommand({ ...alone, isApplied: true }), null)
  assert.equal(stepsOfTrial({ ...trial, patchFile: null }, ['/']), null)
  const load = 'npx threadwise load http://localhost:3000/report --duration 5'
  const [before, take, after, ...others] = stepsOfTrial(trial, ['/report', '/'])
  assert.ok(before.endsWith(`, at its own port: ${load} --json before.json`), before)
  assert.match(take, /: git apply threadwise\.patch && npm install threadwise$/)
  assert.ok(after.endsWith(`: ${load} --baseline before.json`), after)
  const [hidden] = stepsOfTrial(trial, ['/report?day=...'])
  assert.ok(hidden.endsWith("with your values in place of ...: npx threadwise load 'http://localhost:3000/report?day=...' --duration 5 --json before.json"), hidden) // prettier-ignore
  assert.equal(stepsOfTrial({ ...trial, isApplied: true }, ['/report']).length, 2)
  assert.deepEqual(others, [])
})
