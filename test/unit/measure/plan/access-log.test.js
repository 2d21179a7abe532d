// The times of an access log.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { readAccessLog, timeOfLine } from '../../../../build/measure/plan/access-log.js'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { testFolder } from '../../../helpers/files.js'

const at = Date.UTC(2026, 9, 10, 13, 55, 36)

describe('a line of an access log', () => {
  const known = {
    'common log format': ['127.0.0.1 - frank [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.0" 200 2326', at],
    'another zone': ['::1 - - [10/Oct/2026:06:55:36 -0700] "GET / HTTP/1.1" 200 5 "-" "curl"', at],
    'fractions of a second': ['x - - [10/Oct/2026:13:55:36.25 +0000] "GET /" 200 1', at + 250],
    'an ISO time': [JSON.stringify({ level: 30, time: '2026-10-10T13:55:36.000Z' }), at],
    'seconds since 1970': [JSON.stringify({ ts: at / 1000 + 0.5 }), at + 500],
    'milliseconds since 1970, as pino has them': [JSON.stringify({ time: at }), at],
    'a number as text, as nginx writes $msec': [JSON.stringify({ msec: `${at / 1000}.500` }), at + 500],
    'the local time of nginx': [JSON.stringify({ time_local: '10/Oct/2026:13:55:36 +0000' }), at],
  }
  for (const [name, [line, expected]] of Object.entries(known))
    test(`gives its time: ${name}`, () => assert.equal(timeOfLine(line), expected))

  for (const line of [
    '',
    'listening on 3000',
    '{"time":',
    '{}',
    '{"time":"soon"}',
    '{"time":-1}',
    '[10/Okt/2026:13:55:36 +0000]',
    'null',
    '{"time":null}',
  ])
    // prettier-ignore
    test(`has none: ${line}`, () => assert.equal(timeOfLine(line), null))
})

describe('an access log', () => {
  const read = (t, lines) => {
    const file = testFolder(t)('access.log')
    writeFileSync(file, lines.join('\n'))
    return readAccessLog(file, createRandom(1))
  }
  const line = (second) =>
    `h - - [10/Oct/2026:13:55:${String(second).padStart(2, '0')} +0000] "GET / HTTP/1.1" 200 5`

  test('spreads the requests of a second over it', (t) => {
    const { times, unread } = read(t, [...Array.from({ length: 50 }, (_, index) => line(Math.floor(index / 10))), 'ready']) // prettier-ignore
    assert.equal(unread, 1)
    assert.equal(times.length, 50)
    assert.equal(times[0], 0)
    assert.deepEqual(
      times,
      [...times].sort((a, b) => a - b),
    )
    assert.ok(new Set(times).size > 45 && times.at(-1) < 5000)
  })

  test('keeps exact times, also of lines in another order', (t) => {
    const { times } = read(t, Array.from({ length: 20 }, (_, index) => JSON.stringify({ time: at + 1 + ((index * 7) % 20) * 10 }))) // prettier-ignore
    assert.deepEqual(
      times,
      Array.from({ length: 20 }, (_, index) => index * 10),
    )
  })

  for (const [name, lines] of Object.entries({
    'no requests': ['a', 'b'],
    'too few': [line(1), line(2)],
    'too many lines without a time': [...Array.from({ length: 30 }, (_, index) => line(index)), ...Array.from({ length: 9 }, () => 'x')], // prettier-ignore
    'one moment only': Array.from({ length: 30 }, () => JSON.stringify({ time: at + 1 })),
  }))
    test(`is refused: ${name}`, (t) => assert.throws(() => read(t, lines), { code: 'TW_ERR_INVALID_OPTION' }))
})
