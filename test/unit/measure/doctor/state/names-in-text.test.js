// What a text of code names.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { namesIn } from '../../../../../build/measure/doctor/state/names-in-text.js'

describe('a text names', () => {
  for (const [what, text, uses] of [
    ['a variable as a whole', '() => work(config)', [[]]],
    ['a part of it, by up to three names', '() => config.a.b.c.d', [['a', 'b', 'c']]],
    ['several parts', '() => config.a + config?.b', [['a'], ['b']]],
    ['all of it, where one of its uses does', '() => config.a + f(config)', [[]]],
    ['all of it, where it is spread', '() => ({ ...config })', [[]]],
    ['not what follows a point', '() => other.config', []],
    ['not a part of another word', '() => configs + myconfig', []],
  ])
    test(what, () => assert.deepEqual(namesIn(text).usesOf('config'), uses))

  test('words, also private ones', () => {
    assert.deepEqual([...namesIn('class A { #n = "text" }').words], ['class', 'A', '#n', 'text'])
  })
})
