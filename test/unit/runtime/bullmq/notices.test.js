// Texts over NOTIFY: in pieces that PostgreSQL takes, and whole again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createCollector,
  createPublisher,
  noticeChannel,
} from '../../../../build/runtime/bullmq/connection/notices.js'

/** What PostgreSQL makes of each transaction: of two equal notices one arrives. */
async function published(values, channel = 'c') {
  const notices = []
  const publish = createPublisher(async (_, [channels, pieces]) => {
    await null
    notices.push(...new Set(channels.map((name, i) => `${name} ${pieces[i]}`)))
  })
  await Promise.all(values.map((value) => publish(channel, JSON.stringify(value))))
  return notices.map((notice) => notice.slice(notice.indexOf(' ') + 1))
}

function collect(pieces) {
  const texts = []
  const take = createCollector((text) => texts.push(JSON.parse(text)))
  for (const piece of pieces) take(piece)
  return texts
}

for (const [what, value] of [
  ['nothing', ''],
  ['a short one', { type: 'done' }],
  ['signs of all lengths', 'ü€😀\ud800\0"\\'],
  ['a long one', 'ü'.repeat(100_000)],
])
  test(`${what} comes out as it went in, in pieces of less than 8000 bytes`, async () => {
    const pieces = await published([value])
    assert.ok(pieces.every((piece) => Buffer.byteLength(piece) < 8000))
    assert.deepEqual(collect(pieces), [value])
  })

test('all that is sent at once arrives in its order, also what is the same', async () => {
  const values = ['a', 'b'.repeat(20_000), 'a', 'a', 'c']
  assert.deepEqual(collect(await published(values)), values)
})

test('what lacks its begin is dropped, and what is no piece', async () => {
  const [first, second, ...rest] = await published(['x'.repeat(20_000)])
  const next = (await published(['', 'next'])).slice(1)
  assert.deepEqual(collect([second, ...rest, 'hello', '1/2', ...next]), ['next'])
  assert.deepEqual(collect([first, ...next, second, ...rest]), ['next'])
})

test('what cannot be sent is told to all who wait, and the next is sent', async () => {
  let isAway = true
  const publish = createPublisher(async () => {
    if (isAway) throw new Error('away')
  })
  await assert.rejects(publish('c', '1'), /away/)
  isAway = false
  await publish('c', '2')
})

test('each channel has a name of its own that PostgreSQL takes', () => {
  const names = ['bull:images:threadwise:workers', `bull:${'x'.repeat(200)}`].map(noticeChannel)
  assert.equal(new Set(names).size, 2)
  for (const name of names) assert.match(name, /^[a-z_0-9]{1,63}$/)
})
