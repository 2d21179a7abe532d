import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnswers } from '../../../../../build/measure/doctor/try/compare-answers.js'

const page = (text, status = 200) => ({ status, text })

function compared(before, after) {
  const answers = createAnswers()
  for (const answer of before) answers.before('/', answer)
  for (const answer of after) answers.after('/', answer)
  return answers.compare()
}

test('equal answers are equal', () => {
  assert.deepEqual(compared([page('a b')], [page('a b'), page('a b')]), {
    ...{ compared: 2, equal: 2, masked: 0, example: null, unsteady: null, failing: null },
  })
})

test('another word is a difference, with its place', () => {
  const { equal, example } = compared([page('sum 41')], [page('sum 42')])
  assert.equal(equal, 0)
  assert.equal(example, '/: at character 5 of 6')
})

test('another status is a difference', () => {
  assert.match(compared([page('x')], [page('x', 500)]).example, /status 500 instead of 200/)
})

test('what differs between answers of the unchanged app is masked, and nothing else', () => {
  const before = [page('id 17 sum 5'), page('id 18 sum 5')]
  assert.deepEqual({ ...compared(before, [page('id 99 sum 5')]) }, { compared: 1, equal: 1, masked: 1, example: null, unsteady: null, failing: null }) // prettier-ignore
  assert.equal(compared(before, [page('id 99 sum 6')]).equal, 0)
})

test('times of now are masked also where they were the same', () => {
  const at = (ms) => page(`{"at":"${new Date(Date.now() + ms).toISOString()}","sum":5}`)
  assert.equal(compared([at(0)], [at(5000)]).equal, 1)
  const old = (year) => page(`{"at":"${year}-01-01T00:00:00.000Z"}`)
  assert.equal(compared([old(2001)], [old(2002)]).equal, 0)
})

test('random base64 is one word, whatever is in it', () => {
  const token = (text) => page(`token: ${text} sum 5`)
  const before = [token('ab+cd/ef9hijklmnop=='), token('abcdefg/h+ijklmnop==')]
  assert.equal(compared(before, [token('x+y+z/////AAAABBBB==')]).equal, 1)
})

test('answers of which hardly anything stays cannot be compared', () => {
  const random = () => page(Array.from({ length: 60 }, () => Math.floor(Math.random() * 1e6)).join(' '))
  assert.equal(compared([random(), random()], [random()]).unsteady, '/')
})

test('a path that the unchanged app cannot serve is told, and errors that are asked for are not', () => {
  assert.deepEqual(compared([page('bad', 502)], []).failing, null)
  assert.deepEqual(compared([page('bad', 502)], [page('bad', 502)]).failing, { path: '/', status: 502 })
  assert.equal(compared([page('bad', 502), page('good')], [page('good')]).failing, null)
  assert.equal(compared([page('none', 404)], [page('none', 404)]).failing, null)
})
