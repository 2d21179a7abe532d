import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fixture } from '../../helpers/program.js'

/** Runs the program to its end; its lines, sorted. */
function run(...options) {
  const program = fixture('programs/thread-output.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.equal(status, 0, `it does not end: ${stderr}`)
  const linesOf = (text) => text.trimEnd().split('\n').sort()
  return { printed: linesOf(stdout), errors: linesOf(stderr) }
}

const words = Array.from({ length: 24 }, (_, i) => `words ${i}`).sort()

test('threads print all that they say, the streams are opened only then, and nothing holds the program', () => {
  const { printed, errors } = run()
  assert.deepEqual(printed, words)
  assert.deepEqual(errors, ['opened: []', ...words.map((each) => `${each}!`).sort()])
})

test('the same with labels', () => {
  const { printed, errors } = run('--labelled')
  assert.ok(errors.includes('opened: []'))
  const isLabelled = (line) => /^\[lab-\d+\] words \d+!?$/.test(line)
  assert.ok(printed.every(isLabelled), printed.join('\n'))
  assert.deepEqual(printed.map((line) => line.replace(/^.*\] /, '')).sort(), words)
  assert.equal(errors.filter(isLabelled).length, 24)
})

for (const options of [[], ['--labelled']])
  test(`a Node that cannot be told ${options}: threads print the same, and nothing holds the program`, () => {
    const { printed, errors } = run('--unknown', ...options)
    assert.deepEqual(printed.map((line) => line.replace(/^.*\] /, '')).sort(), words)
    assert.equal(errors.filter((line) => line.endsWith('!')).length, 24)
    assert.equal(printed.filter((line) => line.startsWith('[lab-')).length, options.length * 24)
  })
