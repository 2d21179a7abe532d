// What the words of a command line become.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  parseArgumentLists,
  parseGoal,
  parseNumber,
  parseNumbers,
  parseWords,
} from '../../../../build/cli/terminal/parse-values.js'
import { repeatCommand } from '../../../../build/cli/terminal/repeat-command.js'
import { terminalOptions } from '../../../../build/cli/terminal/terminal-options.js'

describe('values of options', () => {
  const good = [
    [parseNumber, '0.6', 0.6],
    [parseNumbers, '0.6,1, 2', [0.6, 1, 2]],
    [parseWords, 'inline, threads', ['inline', 'threads']],
    [parseArgumentLists, '[[1, "a"], []]', [[1, 'a'], []]],
    [parseArgumentLists, '["a", 2]', [['a', 2]]],
    [parseGoal, 'throughput', 'throughput'],
    [parseGoal, 'responsive=20', { responsive: 20 }],
    [parseGoal, 'responsive=0.5', { responsive: 0.5 }],
  ]
  for (const [parse, text, value] of good) {
    test(`${parse.name} takes ${text}`, () => assert.deepEqual(parse(text), value))
  }

  const bad = [
    [parseNumber, ['', ' ', 'x', '1x', 'Infinity', 'NaN']],
    [parseNumbers, ['', '1,', ',1', '1;2', '1,x']],
    [parseArgumentLists, ['', 'x', '{}', '[]', '[[1],2]', 'null']],
    [parseGoal, ['', 'speed', 'responsive', 'responsive=', 'responsive=0', 'responsive=x', 'Throughput']],
  ]
  for (const [parse, texts] of bad) {
    for (const text of texts) {
      test(`${parse.name} refuses ${JSON.stringify(text)} and says what it must be`, () => {
        assert.throws(() => parse(text), { code: 'commander.invalidArgument', message: /^It must be / })
      })
    }
  }
})

describe('the command that repeats a run', () => {
  test('is quoted where a shell would take words apart', () => {
    const words = ['./a b.js', '--args', `[["it's"]]`, '--cpus', '0.6,2', '$HOME', '']
    assert.equal(
      repeatCommand('measure', words),
      `npx threadwise measure './a b.js' --args '[["it'\\''s"]]' --cpus 0.6,2 '$HOME' ''`,
    )
  })
})

describe('colour', () => {
  const terminal = { isTTY: true, columns: 120 }
  const colorOf = (stream, env) => terminalOptions(stream, env).color
  const table = [
    ['a terminal', terminal, {}, true],
    ['a pipe', {}, {}, false],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
    ['FORCE_COLOR in a pipe', {}, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0 in a pipe', {}, { FORCE_COLOR: '0' }, false],
    ['NO_COLOR on a terminal', terminal, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR, which does not count', terminal, { NO_COLOR: '' }, true],
    ['NO_COLOR against FORCE_COLOR', {}, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ]
  for (const [title, stream, env, expected] of table) {
    test(`${expected ? 'on' : 'off'}: ${title}`, () => assert.equal(colorOf(stream, env), expected))
  }

  test('the width is that of the terminal, and fixed in a pipe', () => {
    assert.equal(terminalOptions(terminal, {}).width, 120)
    assert.ok(terminalOptions({}, {}).width >= 80)
  })
})
