// What a queue promises at its edges, on each store: ids, ends that are kept, what is written by hand, and who may speak.
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { bullmq, jobs, queueStatus, work } from 'threadwise/bullmq'
import { rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { module, openQueue } from '../helpers/queues.js'
import { STORES } from '../helpers/stores.js'
import { askUntil, waitUntil } from '../helpers/waiting.js'

const linesIn = (path) => readFileSync(path, 'utf8').trim().split('\n')

for (const { name, missing, start } of STORES)
  describe(`at its edges, a queue in ${name}`, { skip: missing }, () => {
    let store
    before(async () => (store = await start()))
    after(() => store.stop())

    /** A queue whose only worker is busy until `free()`. */
    async function busyQueue(t) {
      const queue = openQueue(t, store)
      const path = testFolder(t)
      await queue.worker().ready
      const holder = queue.caller()
      const held = holder.run('waitUntil', [path('started'), path('release')])
      await fileExists(path('started'))
      return { queue, path, free: async () => (touch(path('release')), held) }
    }

    test('an id that was cancelled, or was late, can be asked for again', async (t) => {
      const { queue, path, free } = await busyQueue(t)
      const caller = queue.caller()
      const controller = new AbortController()
      const ask = (id, options) => caller.run('note', [path('runs'), id], { id, ...options })
      const cancelled = rejection(ask('report', { signal: controller.signal }))
      await waitUntil(() => caller.stats().running === 1)
      controller.abort(new Error('the user pressed cancel'))
      assert.equal((await cancelled).message, 'the user pressed cancel')
      assert.equal((await rejection(ask('late', { queueTimeout: 20 }))).code, 'TW_ERR_QUEUE_TIMEOUT')
      const again = [ask('report'), ask('late')]
      await free()
      assert.deepEqual(await Promise.all(again), ['report', 'late'])
      assert.deepEqual(linesIn(path('runs')).sort(), ['late', 'report'])
    })

    test('an id can be asked for again when its last caller has given it up while it ran', async (t) => {
      const queue = openQueue(t, store)
      const path = testFolder(t)
      await queue.worker({ size: 2 }).ready
      const callers = [queue.caller(), queue.caller()]
      for (const [i, caller] of [callers[0], callers[1], callers[0]].entries()) {
        const controller = new AbortController()
        const [started, release] = [path(`started ${i}`), path(`release ${i}`)]
        const ask = (who, options) =>
          who.run('waitUntil', [started, release], { id: `upload ${i}`, ...options })
        const given = rejection(ask(callers[0], { signal: controller.signal, gracePeriod: 100 }))
        await fileExists(started)
        controller.abort(new Error(`given up ${i}`))
        assert.equal((await given).message, `given up ${i}`)
        if (caller !== callers[0]) await fileExists(`${started}.aborted`) // before that he would have a share in it
        rmSync(started, { force: true })
        const again = ask(caller)
        await Promise.race([again, fileExists(started)]) // it has begun anew
        touch(release)
        assert.equal(await again, 'released')
      }
      const other = new AbortController()
      const started = path('of another task')
      const task = { id: 'other', signal: other.signal, gracePeriod: 100 }
      const given = rejection(callers[0].run('waitUntil', [started, path('never')], task))
      await fileExists(started)
      other.abort(new Error('given up'))
      await given
      assert.equal(await callers[0].run('note', [path('runs'), 'run'], { id: 'other' }), 'run')
    })

    test('whoever shares an id is not hurt by the abort or the time of another one', async (t) => {
      const { queue, path, free } = await busyQueue(t)
      const callers = [queue.caller(), queue.caller(), queue.caller()]
      const controller = new AbortController()
      const ask = (i, options) => callers[i].run('note', [path('runs'), 'once'], { id: 'shared', ...options })
      const stays = ask(0)
      await waitUntil(() => callers[0].stats().running === 1)
      const aborted = rejection(ask(1, { signal: controller.signal }))
      await waitUntil(() => callers[1].stats().running === 1)
      assert.equal((await rejection(ask(2, { queueTimeout: 20 }))).code, 'TW_ERR_QUEUE_TIMEOUT')
      controller.abort(new Error('not I'))
      assert.equal((await aborted).message, 'not I')
      await free()
      assert.equal(await stays, 'once')
      assert.deepEqual(linesIn(path('runs')), ['once'])
    })

    test('one id for several tasks or arguments at once: each gets its own result, or is refused', async (t) => {
      const queue = openQueue(t, store)
      await queue.worker({ concurrency: 8 }).ready
      const callers = [queue.caller(), queue.caller(), queue.caller()]
      await Promise.all(callers.map(({ ready }) => ready))
      for (let i = 0; i < 10; i++) {
        const id = `two${i}`
        const calls = [
          callers[0].run('add', [1, 2], { id }),
          callers[1].run('echo', ['mine'], { id }),
          callers[2].run('add', [3, 4], { id }),
        ]
        const outcomes = await Promise.all(calls.map((call) => call.catch(({ code }) => code)))
        const right = [3, 'mine', 7]
        const own = outcomes.filter((value, at) => value === right[at])
        assert.equal(own.length, 1, String(outcomes))
        assert.equal(
          outcomes.filter((value) => value === 'TW_ERR_INVALID_OPTION').length,
          2,
          String(outcomes),
        )
      }
    })

    test('what one caller keeps is not governed by another one, and what nobody keeps is removed', async (t) => {
      const queue = openQueue(t, store)
      const path = testFolder(t)
      await queue.worker().ready
      const day = queue.caller({ keepResults: 86_400_000 })
      const none = queue.caller({ keepResults: 0 })
      const charge = () => day.run('note', [path('runs'), 'charged'], { id: 'charge' })
      assert.equal(await charge(), 'charged')
      for (let i = 0; i < 5; i++) assert.equal((await none.tasks.large(100_000)).length, 100_000)
      const { connection, queue: name } = queue
      const kept = () => queueStatus({ connection, queue: name }).then(({ completed }) => completed)
      // A minute: an end that its caller has found by asking, before it was noted how long it is kept, stays for as long as one that nobody has seen.
      assert.equal(await askUntil(kept, (count) => count === 1, 90_000), 1)
      assert.equal(await charge(), 'charged')
      assert.deepEqual(linesIn(path('runs')), ['charged'])
    })

    test('texts that a store cannot hold arrive as they can be shown', async (t) => {
      const queue = openQueue(t, store)
      await queue.worker().ready
      const caller = queue.caller()
      const half = 'x'.repeat(50) + '\ud83d'
      for (const text of [half, 'a\0b', '\udc00']) {
        assert.equal(await caller.tasks.echo(text), text)
        const [error, inside] = [
          await rejection(caller.run('failWith', [text])),
          await caller.run('errorOf', [text]),
        ]
        assert.deepEqual([error.name, error.message], ['Error', text])
        assert.equal(inside.message, text)
      }
    })

    test('a failed job that is retried by hand runs again, and pauses are told', async (t) => {
      const queue = openQueue(t, store)
      const path = testFolder(t)
      const { connection, queue: name } = queue
      await queue.worker().ready
      const caller = queue.caller()
      const failed = await rejection(caller.run('failOnce', [path('flag')], { id: 'again' }))
      assert.equal(failed.message, 'the first time')
      const operated = jobs({ connection, queue: name })
      t.after(() => operated.close())
      const [failure] = await operated.failures()
      assert.deepEqual([failure.task, failure.error], ['failOnce', 'Error: the first time'])
      assert.equal(await operated.retry('again'), true)
      await askUntil(
        () => operated.status('again'),
        ({ state }) => state === 'completed',
      )
      assert.equal(await operated.result('again'), 'done')

      await operated.pause()
      const waits = caller.tasks.add(1, 2)
      const paused = await askUntil(
        () => queueStatus({ connection, queue: name }),
        ({ waiting }) => waiting === 1,
      )
      assert.equal(paused.isPaused, true)
      await operated.resume()
      assert.equal(await waits, 3)
    })

    test('any process tells the state of a job by its id, and cancels it', async (t) => {
      const { queue, free } = await busyQueue(t)
      const { connection, queue: name } = queue
      const operated = jobs({ connection, queue: name })
      t.after(() => operated.close())
      const caller = queue.caller()
      const waiting = rejection(caller.run('add', [1, 2], { id: 'mine' }))
      await askUntil(
        () => operated.status('mine'),
        (job) => job?.state === 'waiting',
      )
      assert.equal((await rejection(operated.result('mine'))).code, 'TW_ERR_INVALID_CALL')
      assert.equal(await operated.cancel('mine', new RangeError('not any more')), true)
      assert.ok((await waiting) instanceof RangeError)
      assert.deepEqual([await operated.status('mine'), await operated.cancel('mine')], [undefined, false])
      await free()
    })

    test('a job that calls its own queue gets a place there, or is refused where it has the only one', async (t) => {
      const queue = openQueue(t, store)
      const { connection, queue: name } = queue
      await queue.worker().ready
      const call = () => queue.caller().run('callsItself', [connection, name, 1])
      const refused = await rejection(call())
      assert.equal(refused.code, 'TW_ERR_INVALID_CALL')
      assert.match(refused.message, /the only one of queue/)
      await queue.worker().ready
      assert.equal(await call(), 'the last one')
    })

    test('with a secret, nothing runs and nothing is given that is not signed with it', async (t) => {
      const queue = openQueue(t, store)
      const { connection, queue: name } = queue
      const [old, next] = ['an old secret of ours', 'the next secret of ours']
      const open = (make, options) => {
        const made = make(module, { connection, queue: name, startTimeout: 60_000, ...options })
        t.after(() => (made.destroy ? made.destroy() : made.close({ timeout: 0 })))
        return made
      }
      await open(work, { size: 1, secret: [old, next] }).ready
      for (const secret of [old, [old, next], [next, old]])
        assert.equal(await open(bullmq, { secret }).tasks.add(1, 2), 3)
      const stranger = open(bullmq, { secret: 'a secret that is not theirs', workerTimeout: 60_000 })
      assert.equal((await rejection(stranger.tasks.add(1, 2))).code, 'TW_ERR_UNTRUSTED')
      assert.equal((await rejection(open(bullmq, {}).tasks.add(1, 2))).code, 'TW_ERR_UNTRUSTED')
      for (const secret of ['short', [], [5], ''])
        assert.throws(() => bullmq(module, { connection, queue: name, secret }), {
          code: 'TW_ERR_INVALID_OPTION',
        })
    })
  })
