import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { passOn } from '../../../../build/runtime/threads/thread-output.js'
import { fixture } from '../../../helpers/program.js'

const runToEnd = (program, ...options) =>
  spawnSync(process.execPath, [fixture(`programs/${program}`), ...options], {
    encoding: 'utf8',
    timeout: 30_000,
  })

/** Its lines, sorted. */
function run(...options) {
  const { status, stdout, stderr } = runToEnd('thread-output.js', ...options)
  assert.equal(status, 0, `it does not end: ${stderr}`)
  const linesOf = (text) => text.trimEnd().split('\n').sort()
  return { printed: linesOf(stdout), errors: linesOf(stderr) }
}

const words = Array.from({ length: 24 }, (_, i) => `words ${i}`).sort()

test('threads print all that they say, the streams are opened only then, and nothing holds the program', () => {
  const { printed, errors } = run()
  assert.deepEqual(printed, words)
  assert.deepEqual(errors, ['opened: [] limit: 50', ...words.map((each) => `${each}!`).sort()])
})

test('the same with labels', () => {
  const { printed, errors } = run('--labelled')
  assert.ok(errors.includes('opened: [] limit: 50'))
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

for (const [output, printed] of [
  ['inherit', 'last words\n'],
  ['labelled', '[lab-1] last words\n'],
])
  test(`${output}: what a thread says last is printed before anybody learns of its end`, () => {
    const { status, stdout, stderr } = runToEnd('thread-last-words.js', output)
    assert.equal(status, 5, stderr)
    assert.equal(stdout, printed)
  })

test('what takes the place of stdout for a while gets nothing of a thread that was started before', () => {
  const { status, stdout, stderr } = runToEnd('thread-output-elsewhere.js')
  assert.equal(status, 0, stderr)
  assert.equal(stdout, 'meanwhile\nlater\n')
})

for (const [label, printed] of [
  [undefined, ['last ', 'words\n']],
  ['lab-1', ['[lab-1] last words\n']],
])
  test(`${label ?? 'no label'}: what Node finds of a thread as it ends is printed before it tells of the end`, (t) => {
    const written = []
    const target = new Writable({ write: (chunk, _, done) => (written.push(String(chunk)), done()) })
    const own = Object.getOwnPropertyDescriptor(process, 'stdout')
    Object.defineProperty(process, 'stdout', { configurable: true, get: () => target })
    t.after(() => Object.defineProperty(process, 'stdout', own))
    const stream = () => Object.assign(new Readable({ read() {} }), { [Symbol('kIncrementsPortRef')]: true })
    const worker = Object.assign(new EventEmitter(), { stdout: stream(), stderr: stream() })
    assert.equal(passOn(worker, label ? 'labelled' : 'inherit', label ?? ''), true)
    for (const chunk of ['last ', 'words\n', null]) worker.stdout.push(chunk)
    worker.emit('exit', 0)
    assert.equal(written.join(''), printed.join(''))
  })
