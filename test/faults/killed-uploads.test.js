// A service that stores files in S3 and is ended while it does: by SIGTERM it finishes, by SIGKILL nothing is half there.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { startDelayProxy } from '../../build/lab/uploads/delay-proxy.js'
import { findVersitygw, startS3Server } from '../../build/lab/uploads/s3-server.js'
import { openStore } from '../../build/lab/uploads/s3-store.js'
import { accountFor } from '../../build/lab/uploads/upload-account.js'
import { readUploadLog } from '../../build/lab/uploads/upload-log.js'
import { makeFiles, multipartOf } from '../../build/lab/uploads/uploads-program.js'
import { testFolder } from '../helpers/files.js'
import { fixture, measuredCodes, start as startProgram } from '../helpers/program.js'
import { waitUntil } from '../helpers/waiting.js'

const { resolve } = createRequire(import.meta.url)
const BOUNDARY = 'test'
const ROUND_TRIP_MS = 20

/** A store, a network before it, and the endpoint as a process of its own. */
async function service(t) {
  const path = testFolder(t)
  const server = await startS3Server(path('store'), () => resolve('s3rver'))
  t.after(() => server.close())
  const proxy = await startDelayProxy(server.endpoint, ROUND_TRIP_MS)
  t.after(() => proxy.close())
  const { accessKeyId, secretAccessKey } = server
  const client = resolve('@aws-sdk/client-s3')
  const near = { endpoint: server.endpoint, bucket: 'files', accessKeyId, secretAccessKey, client }
  const store = openStore(near)
  t.after(() => store.close())
  await store.createBucket()
  const plan = { access: { ...near, endpoint: proxy.endpoint }, log: path('log'), busboy: resolve('busboy') }
  const startEndpoint = async () => {
    const child = spawn(process.execPath, [fixture('programs/upload-server.js'), JSON.stringify(plan)])
    t.after(() => child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const [url] = await once(child.stdout, 'data')
    const post = async (files, id) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'x-request-id': id }
      const answer = await fetch(String(url).trim(), { method: 'POST', headers, body: multipartOf(files, BOUNDARY) }) // prettier-ignore
      return { status: answer.status, outcomes: await answer.json() }
    }
    return { child, ended, post }
  }
  return { store, startEndpoint, log: () => readUploadLog(plan.log) }
}

const linesOf = (log, event) => log().filter((line) => line.event === event)

test('SIGTERM half-way: what was accepted is stored and answered, then the service ends', async (t) => {
  const { store, startEndpoint, log } = await service(t)
  const { child, ended, post } = await startEndpoint()
  const files = makeFiles(70, 2000) // more than 4 threads and 50 places: the caller's thread stores some
  const answer = post(files, 'r-1')
  await waitUntil(() => linesOf(log, 'stored').length >= 3)
  assert.equal(linesOf(log, 'answered').length, 0)
  child.kill('SIGTERM')
  const { status, outcomes } = await answer
  assert.equal(status, 200)
  assert.deepEqual(
    outcomes.map(({ key }) => key),
    files.map(({ name }) => `r-1/${name}`),
  )
  assert.deepEqual(await ended, [0, null])
  const { received, whole, broken, lost } = await accountFor(log(), store)
  assert.deepEqual({ received, whole, broken, lost }, { received: 70, whole: 70, broken: [], lost: [] })
  const workers = new Set(linesOf(log, 'stored').map(({ worker }) => worker))
  assert.ok(workers.has('main thread') && workers.has('uploads-1'), [...workers].join())
  for (const line of log()) {
    assert.equal(line.request, 'r-1')
    assert.match(line.worker, /^(uploads-[1-4]|main thread|endpoint)$/)
  }
})

const skip = findVersitygw() ? false : 'needs versitygw on the PATH, or VERSITYGW: s3rver is not atomic'
test(
  'SIGKILL half-way: each file is whole or absent, confirmed ones are there, and the rest can be sent again',
  { skip },
  async (t) => {
    const { store, startEndpoint, log } = await service(t)
    const first = await startEndpoint()
    const files = makeFiles(16, 6_000_000) // larger than what the sockets hold: puts are cut in the middle
    const lost = assert.rejects(first.post(files, 'r-1'))
    await waitUntil(() => linesOf(log, 'stored').length >= 3)
    first.child.kill('SIGKILL')
    await Promise.all([first.ended, lost])
    const lines = log()
    const account = await accountFor(lines, store)
    const { stored, absent } = account.unanswered
    t.diagnostic(
      `confirmed ${linesOf(() => lines, 'stored').length}, stored ${stored.length}, absent ${absent.length}`,
    )
    assert.deepEqual([account.broken, account.lost], [[], []])
    assert.ok(stored.length >= 3 && absent.length > 0, `${stored.length} stored, ${absent.length} absent`)
    const bodies = new Map(files.map(({ name, body }) => [`r-1/${name}`, body]))
    for (const { key } of await store.list()) assert.ok(bodies.get(key).equals(await store.read(key)), key)

    const second = await startEndpoint()
    const rest = files.filter(({ name }) => absent.includes(`r-1/${name}`))
    assert.equal((await second.post(rest, 'r-1')).status, 200)
    assert.deepEqual((await store.list()).map(({ key }) => key).sort(), [...bodies.keys()].sort())
    second.child.kill('SIGTERM')
    assert.deepEqual(await second.ended, [0, null])
  },
)

test('threadwise lab uploads, interrupted, tells what is stored of the request that had no answer', async (t) => {
  const path = testFolder(t)
  const given = ['--count', '60', '--delay', '50', '--min', '1', '--max', '2', '--log', path('log')]
  const run = startProgram(['lab', 'uploads', ...given, '--rounds', '2', '--json', '-'])
  t.after(() => run.child.kill('SIGKILL'))
  const log = () => readUploadLog(path('log'))
  await waitUntil(() => linesOf(log, 'stored').length >= 5)
  run.child.kill('SIGINT')
  const { code, stdout, stderr } = await run.ended
  assert.ok([130, ...measuredCodes].includes(code), stderr)
  const { complete, remarks } = JSON.parse(stdout)
  assert.equal(complete, false)
  const told = remarks.find((remark) => /had no answer yet/.test(remark))
  const [, all, stored, absent] = told.match(/of their (\d+) files (\d+) are stored.* and (\d+) are not/)
  assert.equal(Number(all), Number(stored) + Number(absent))
  assert.ok(Number(stored) >= 1 && Number(absent) >= 1, told)
  assert.ok(!remarks.some((remark) => /yet not in the store/.test(remark)))
})
