// A command that was broken into lines must still be the same command.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { shellLines } from '../../../../../build/measure/report/terminal/terminal-notes.js'

const commands = [
  'npx threadwise measure render.workload.js --cpus 0.6,1,2 --seed 4711',
  `npx threadwise measure '/home/ann/a project/with spaces/a.workload.js' --args '[["it is \\"x\\"", "${'y'.repeat(90)}"]]'`,
  `npx threadwise measure "a b ${'c'.repeat(70)} \\"quoted\\" d" ${'e'.repeat(80)}`,
  `npx threadwise measure 'it'\\''s here.js' --task ${'f'.repeat(61)}\\ g`,
]

test('A command that fits stays on one line.', () => {
  assert.deepEqual(shellLines('npx threadwise lab matrix', 40), ['npx threadwise lab matrix'])
})

test('Every line but the last ends with a backslash, and none is too wide.', () => {
  for (const command of commands) {
    for (const width of [40, 60, 80]) {
      const lines = shellLines(command, width)
      for (const line of lines) assert.ok(line.length <= width, line)
      for (const line of lines.slice(0, -1)) assert.ok(line.endsWith('\\'), line)
    }
  }
})

test(
  'A shell reads the same arguments from the lines as from the command.',
  { skip: process.platform === 'win32' },
  () => {
    const read = (command) =>
      execFileSync('sh', ['-c', command.replace(/^npx/, "printf '%s\\n'")], { encoding: 'utf8' })
    for (const command of commands) {
      for (const width of [40, 41, 57, 80])
        assert.equal(read(shellLines(command, width).join('\n')), read(command))
    }
  },
)
