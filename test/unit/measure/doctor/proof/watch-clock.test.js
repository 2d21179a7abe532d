// The clock of a replay: it goes at the time of the call, tells who asked, and looks like that of the language.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { rememberLanguage } from '../../../../../build/measure/doctor/state/language.js'
import { watchClock } from '../../../../../build/measure/doctor/proof/replay/watch-clock.js'

const clock = watchClock() // for all of this process
const DAY = 86_400_000

test('begins at the time that is set, and goes on from there', () => {
  clock.setTo(5 * DAY)
  for (const ms of [Date.now(), new Date().getTime(), Date.parse(Date())]) assert.ok(Math.abs(ms - 5 * DAY) < 60_000, String(ms)) // prettier-ignore
  assert.equal(new Date(7).getTime(), 7)
  assert.ok(new Date() instanceof Date)
})

test('tells who asked for the time and for chance, once', () => {
  clock.asked()
  Math.random()
  assert.deepEqual(clock.asked(), ['chance'])
  Date.now()
  randomUUID()
  assert.deepEqual(clock.asked(), ['time', 'chance'])
  assert.deepEqual(clock.asked(), [])
})

test('is a part of the language under whatever name it is held', () => {
  const { now } = Date
  assert.equal(rememberLanguage().nameOf(now), 'Date.now')
})
