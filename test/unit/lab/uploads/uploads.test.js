// The uploads experiment: what it draws from its log, how it accounts for files, and what it concludes.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { accountFor, describeAccount } from '../../../../build/lab/uploads/upload-account.js'
import { startS3Server } from '../../../../build/lab/uploads/s3-server.js'
import { openStore } from '../../../../build/lab/uploads/s3-store.js'
import { concludeUploads } from '../../../../build/lab/uploads/uploads.js'
import { readUploadLog } from '../../../../build/lab/uploads/upload-log.js'
import { drawRequests } from '../../../../build/lab/uploads/upload-timelines.js'
import { testFolder } from '../../../helpers/files.js'

const md5 = (text) => createHash('md5').update(text).digest('hex')
const line = (event, request, more) => ({ event, request, way: 'a', worker: 'endpoint', ...more })
const received = (request, name, text) =>
  line('received', request, { file: `${request}/${name}`, bytes: text.length, md5: md5(text) })
const stored = (request, name, worker, startMs, endMs) =>
  line('stored', request, { file: `${request}/${name}`, worker, startMs, endMs })
const answered = (request, startMs, endMs) => line('answered', request, { startMs, endMs })

describe('timelines', () => {
  test('show the last answered request of each way, by worker, in rows without overlap', () => {
    const lines = [
      stored('r1', 'old', 'w-1', 0, 1),
      answered('r1', 0, 1),
      stored('r2', 'a', 'w-10', 1000, 1010),
      stored('r2', 'b', 'w-2', 1000, 1030),
      stored('r2', 'c', 'w-2', 1010, 1020.04),
      stored('r2', 'd', 'w-2', 1030, 1040),
      answered('r2', 990, 1045),
      stored('r3', 'never answered', 'w-1', 2000, 2001),
    ]
    const [drawn, ...rest] = drawRequests(lines, ['a', 'b'])
    assert.deepEqual(rest, [], 'no request of b was answered')
    assert.deepEqual([drawn.id, drawn.files, drawn.ms], ['r2', 4, 55])
    const bar = (name, startMs, endMs) => ({ name, startMs, endMs })
    assert.deepEqual(drawn.timeline.lanes, [
      { name: 'w-2', rows: [[bar('b', 10, 40), bar('d', 40, 50)], [bar('c', 20, 30)]] },
      { name: 'w-10', rows: [[bar('a', 10, 20)]] },
    ])
  })
  test('a line that a killed process has left unfinished is passed over', (t) => {
    const file = testFolder(t)('log')
    writeFileSync(file, `${JSON.stringify(answered('r1', 0, 1))}\n{"event":"stor`)
    assert.deepEqual(readUploadLog(file), [answered('r1', 0, 1)])
    assert.deepEqual(readUploadLog(`${file}-absent`), [])
  })
})

test('the store lists all of its objects, also where one answer does not hold them', async (t) => {
  const { resolve } = createRequire(import.meta.url)
  const server = await startS3Server(testFolder(t)('store'), () => resolve('s3rver'))
  t.after(() => server.close())
  const store = openStore({ ...server, bucket: 'many-objects', client: resolve('@aws-sdk/client-s3') })
  t.after(() => store.close())
  await store.createBucket()
  const keys = Array.from({ length: 1005 }, (_, index) => `request-${index % 7}/file-${index}`)
  await Promise.all(keys.map((key) => store.put(key, Buffer.from(key))))
  const listed = await store.list()
  assert.deepEqual(listed.map(({ key }) => key).sort(), keys.toSorted())
  assert.ok(listed.every((object) => object.md5 === md5(object.key) && object.bytes === object.key.length))
})

describe('the account', () => {
  const storeOf = (objects) => ({
    list: async () =>
      Object.entries(objects).map(([key, text]) => ({ key, bytes: text.length, md5: md5(text) })),
    read: async (key) => Buffer.from(objects[key]),
  })
  const lines = [
    received('r1', 'a', 'one'),
    received('r1', 'b', 'two'),
    stored('r1', 'a', 'w-1', 0, 1),
    stored('r1', 'b', 'w-1', 0, 1),
    answered('r1', 0, 1),
    received('r2', 'a', 'one'),
    received('r2', 'b', 'two'),
  ]
  const about = async (objects) => describeAccount(await accountFor(lines, storeOf(objects))).join('\n')

  test('names what is stored, and what is not, of a request without an answer', async () => {
    const text = await about({ 'r1/a': 'one', 'r1/b': 'two', 'r2/b': 'two' })
    assert.match(text, /holds 3 of the 4 files/)
    assert.match(text, /of their 2 files 1 are stored, read back whole \(r2\/b\), and 1 are not stored at all \(r2\/a\)/) // prettier-ignore
    assert.doesNotMatch(text, /other bytes|yet not/)
  })
  test('names half a file, and one that was confirmed and is gone', async () => {
    const text = await about({ 'r1/a': 'on', 'r2/a': 'one', 'r2/b': 'two' })
    assert.match(text, /Stored with other bytes than were sent: 1 \(r1\/a\)/)
    assert.match(text, /Confirmed, and yet not in the store: 1 \(r1\/b\)/)
  })
  test('reads back what was not answered: the length and the checksum of a list are not believed alone', async () => {
    const store = storeOf({ 'r1/a': 'one', 'r1/b': 'two', 'r2/a': 'one', 'r2/b': 'two' })
    store.read = async () => Buffer.from('xxx')
    assert.deepEqual((await accountFor(lines, store)).broken, ['r2/a', 'r2/b'])
  })
})

describe('the sentence', () => {
  const row = (label, executor, [low, value, high], verdict = 'faster') => ({
    label,
    measured: { executor, ratio: { low, value, high }, verdict },
  })
  const first = row('in turn', 'inline', [1, 1, 1], 'same')
  const of = (...rows) => concludeUploads([first, ...rows], '24 files')

  test('says that waiting needs no threads where the intervals show it', () => {
    const text = of(row('pool', 'threads', [2, 2.5, 3]), row('places', 'concurrent', [4, 5, 6]))
    assert.match(text, /^Storing 24 files: "places" gives 5\.00 times .* \(95 % interval 4\.00 to 6\.00\)\. "places", .* beats the best way on threads \("pool", 2\.50 times\): .*needs no threads\.$/) // prettier-ignore
  })
  test('says that threads are worth it where they are', () => {
    assert.match(of(row('pool', 'threads', [4, 5, 6]), row('places', 'concurrent', [2, 2.5, 3])), /Threads are worth it/) // prettier-ignore
  })
  test('cannot tell between ways whose intervals overlap', () => {
    assert.match(of(row('pool', 'threads', [2, 3, 4]), row('places', 'concurrent', [3, 4, 5])), /overlap.*cannot tell/) // prettier-ignore
  })
  test('cannot tell at all, or finds nothing faster', () => {
    assert.match(of(row('pool', 'threads', [0.5, 3, 9], 'cannot-tell')), /cannot tell which way is faster/)
    assert.match(of(row('pool', 'threads', [0.5, 0.6, 0.7], 'slower')), /no way is faster/)
    assert.match(of({ label: 'pool', failed: 'it broke' }), /could not be measured/)
  })
})
