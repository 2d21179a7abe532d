// What a synchronous task sees of its cancellation, and that what was cancelled in time never runs.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { nextTurn } from '../helpers/waiting.js'

/** Long enough that no worker is replaced within a test. */
const gracePeriod = 100_000

describeExecutors('a synchronous task that is cancelled', (make, { kind, isPool }) => {
  if (kind === 'threads') {
    for (const task of ['loopUntilAborted', 'loopAndThrow']) {
      test(`sees it while it runs (${task})`, async (t) => {
        const path = testFolder(t)
        const executor = make('loops.js', { size: 1 })
        const worker = await executor.tasks.workerId()
        const controller = new AbortController()
        const { signal } = controller
        const aborted = rejection(executor.run(task, [path('a'), path('a.end')], { signal, gracePeriod }))
        await fileExists(path('a'))
        const behind = executor.tasks.workerId()
        controller.abort('enough')
        assert.equal(await aborted, 'enough')
        assert.equal(await behind, worker, 'the worker lives, and what waited behind has run')
        assert.equal(readFileSync(path('a.end'), 'utf8'), 'enough')
        const late = rejection(executor.run(task, [path('b'), path('b.end')], { timeout: 20, gracePeriod }))
        assert.equal((await late).code, 'TW_ERR_TIMEOUT')
        assert.equal(await executor.tasks.workerId(), worker)
        assert.equal(readFileSync(path('b.end'), 'utf8'), 'TW_ERR_TIMEOUT')
      })
    }

    test('sees it whenever it is cancelled: before, at, and after its start', async () => {
      const executor = make('shared-memory.js', { size: 1 })
      const words = new Int32Array(new SharedArrayBuffer(400))
      await executor.tasks.keep(words)
      const thread = await executor.tasks.thread()
      let started = 0
      for (let at = 0; at < 60; at++) {
        const controller = new AbortController()
        const { signal } = controller
        const aborted = rejection(executor.run('loopUntilAborted', [at], { signal, gracePeriod }))
        const turns = at % 3
        await undefined // the call is shown to the worker
        if (turns === 1) while (words[at] === 0) await nextTurn()
        if (turns === 2) while (words[at] === 0); // main has no turn of its own between the start and the end
        controller.abort('enough')
        assert.equal(await aborted, 'enough')
        assert.equal(await executor.tasks.thread(), thread)
        if (turns > 0) assert.equal(words[at], 2)
        if (words[at] > 0) started++
      }
      assert.ok(started >= 40)
    })

    test('sees only its own', async (t) => {
      const path = testFolder(t)
      const executor = make('loops.js', { size: 1 })
      const [mine, other] = [new AbortController(), new AbortController()]
      const run = (name, { signal }) =>
        rejection(
          executor.run('loopUntilAborted', [path(name), path(`${name}.end`)], { signal, gracePeriod }),
        )
      const [first, second] = [run('mine', mine), run('other', other)]
      await fileExists(path('mine'))
      other.abort('other')
      assert.equal(await second, 'other')
      assert.equal(existsSync(path('mine.end')), false)
      mine.abort('mine')
      assert.equal(await first, 'mine')
      await executor.tasks.workerId()
      assert.equal(readFileSync(path('mine.end'), 'utf8'), 'mine')
      assert.equal(existsSync(path('other')), false, 'the other one never ran')
    })
  }

  test('never runs if that was before it started', async (t) => {
    if (!isPool) return t.skip('a call starts in the turn in which it is made')
    const path = testFolder(t)
    const executor = make('loops.js', { size: 1 })
    for (let i = 0; i < 20; i++) await executor.tasks.note(path('learnt'), 'x') // short, so sent ahead
    const controller = new AbortController()
    const { signal } = controller
    const blocked = executor.run('blockUntil', [path('started'), path('free')], {})
    const doomed = ['a', 'b', 'c'].map((text) =>
      rejection(executor.run('note', [path('doomed'), text], { signal })),
    )
    const kept = executor.tasks.note(path('kept'), 'kept')
    await fileExists(path('started'))
    controller.abort('enough')
    assert.deepEqual(await Promise.all(doomed), ['enough', 'enough', 'enough'])
    touch(path('free'))
    assert.equal(await blocked, 'released')
    assert.equal(await kept, 'kept')
    assert.equal(existsSync(path('doomed')), false)
    const { cancelled, running, queued } = executor.stats()
    assert.deepEqual({ cancelled, running, queued }, { cancelled: 3, running: 0, queued: 0 })
  })
})
