// Everything at once and at random: calls of all kinds, deaths, aborts, timeouts, a full queue, workers that come and go.
// Every promise settles, nothing is lost or answered twice, nothing that was cancelled in time starts, all counts fit.
//
// THREADWISE_STORM=10 makes it ten times as long; THREADWISE_SEED=7 repeats another storm.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { processes, threads } from 'threadwise'
import { taskModule } from '../helpers/executors.js'
import { randomNumbers } from '../helpers/random-numbers.js'
import { Box } from '../fixtures/tasks/soak.js'

const SCALE = Number(process.env.THREADWISE_STORM ?? 1)
const SEED = Number(process.env.THREADWISE_SEED ?? Date.now() % 1e6)

/** What may become of a call, by its name. */
const LOST = ['TW_ERR_WORKER_EXITED', 'TW_ERR_QUEUE_FULL']

class Storm {
  constructor(pool, { calls, deaths, seed, isShared }) {
    this.pool = pool
    this.calls = calls
    this.deathRate = deaths / calls
    this.random = randomNumbers(seed)
    this.seen = isShared ? new Int32Array(new SharedArrayBuffer(4 * calls)) : undefined
    /** Calls that were cancelled and had not run then. */
    this.neverRan = []
    this.outcomes = {}
    this.inFlight = new Set()
  }

  async run() {
    for (let index = 0; index < this.calls; index++) {
      this.#track(this.#call(index))
      if (index % 997 === 0) this.pool.resize({ min: this.#below(2), max: 1 + this.#below(3) })
      if (index % 499 === 0) this.#note(this.pool.broadcast('echo', [undefined, 0, 'all']).then(() => {}))
      const most = 50 + this.#below(400)
      while (this.inFlight.size > most) await new Promise((resolve) => (this.onEnd = resolve))
    }
    await Promise.all(this.inFlight)
  }

  #track(promise) {
    const tracked = promise.finally(() => {
      this.inFlight.delete(tracked)
      this.onEnd?.() // Promise.race would gather a reaction for each turn in every open promise
    })
    this.inFlight.add(tracked)
  }

  /** Its errors are those of dead workers. */
  #note(broadcast) {
    this.#track(broadcast.catch((error) => assert.ok(LOST.includes(error.code), String(error))))
  }

  #below = (n) => Math.floor(this.random() * n)

  async #call(index) {
    const dice = this.random()
    const args = [this.seen?.buffer, index]
    if (dice < this.deathRate) return this.#expect(index, this.pool.tasks.die(...args), undefined)
    if (dice < 0.05) return this.#stream(index)
    if (dice < 0.15) return this.#aborted(index)
    if (dice < 0.18) return this.#late(index)
    const value =
      dice < 0.3
        ? new Box(index)
        : dice < 0.4
          ? new Map([[index, 1]])
          : { index, text: 'x'.repeat(this.#below(dice < 0.6 ? 20_000 : 300)) }
    const options = this.#options()
    if (dice < 0.25) return this.#expect(index, this.pool.run('fail', [...args, index], options), undefined)
    if (dice < 0.5)
      return this.#expect(index, this.pool.run('later', [...args, value, this.#below(8)], options), value)
    return this.#expect(index, this.pool.run('echo', [...args, value], options), value)
  }

  #options() {
    const dice = this.#below(10)
    if (dice === 0) return { key: this.#below(50) }
    if (dice === 1) return { priority: this.#below(5) - 2 }
    if (dice === 2) return { queueTimeout: 60_000, timeout: 60_000 }
    return undefined
  }

  async #expect(index, call, expected) {
    const { value, error } = await outcomeOf(call)
    if (!error) assert.deepEqual(value, expected)
    else if (error.message === 'as planned') assert.equal(error.value, index)
    else assert.ok(LOST.includes(error.code), String(error))
    this.#count(error ? (error.code ?? error.message) : 'value')
  }

  async #aborted(index) {
    const controller = new AbortController()
    const { signal } = controller
    const name = this.random() < 0.5 ? 'spin' : 'later'
    const args = [this.seen?.buffer, index, index, 1 + this.#below(5)]
    const call = outcomeOf(
      this.pool.run(name, name === 'spin' ? args : [...args], { signal, gracePeriod: 50 }),
    )
    if (this.random() < 0.5) await sleep(this.#below(4))
    controller.abort('enough')
    const { value, error } = await call
    if (error === 'enough') await this.#rememberIdle(index)
    else if (error) assert.ok(LOST.includes(error.code), String(error))
    else assert.equal(value, index)
    this.#count(error === 'enough' ? 'aborted' : (error?.code ?? 'value'))
  }

  /** A worker that has claimed it may not have come to its first line. */
  async #rememberIdle(index) {
    await sleep(100)
    if (this.seen?.[index] === 0) this.neverRan.push(index)
  }

  async #late(index) {
    const { error } = await outcomeOf(
      this.pool.run('spin', [this.seen?.buffer, index, index, 40], { timeout: 5, gracePeriod: 100 }),
    )
    // A program that is busy for longer than the task sees its result before the timer.
    if (error) assert.ok(['TW_ERR_TIMEOUT', ...LOST].includes(error.code), String(error))
    this.#count(error?.code ?? 'value')
  }

  async #stream(index) {
    const [items, stopAt] = [this.#below(40), this.#below(60)]
    let next = 0
    try {
      for await (const item of this.pool.stream('count', [this.seen?.buffer, index, index, items])) {
        assert.equal(item, index + next++)
        if (next === stopAt) break
      }
      assert.equal(next, Math.min(items, stopAt || Infinity))
      this.#count('stream')
    } catch (error) {
      assert.ok(LOST.includes(error.code), String(error))
      this.#count(error.code)
    }
  }

  #count(outcome) {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
  }
}

async function outcomeOf(promise) {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}

const kinds = {
  threads: { create: threads, calls: 6000, deaths: 36, isShared: true },
  'threads by message': {
    create: (module, options) => threads(module, { ...options, transport: 'message' }),
    calls: 3000,
    deaths: 18,
    isShared: true,
  },
  processes: { create: processes, calls: 2400, deaths: 18, isShared: false },
}

for (const [name, { create, calls, deaths, isShared }] of Object.entries(kinds)) {
  describe(name, () => {
    for (const whenFull of ['wait', 'reject']) {
      test(
        `in a storm lose nothing (whenFull: ${whenFull}, seed ${SEED})`,
        { timeout: 110_000 * SCALE },
        async (t) => {
          const size = { min: 1, max: 3 }
          const recycle = { maxTasks: 1000 }
          const pool = create(taskModule('soak.js'), {
            size,
            whenFull,
            maxQueue: 300,
            idleTimeout: 200,
            recycle,
          })
          t.after(() => pool.destroy())
          const storm = new Storm(pool, {
            calls: calls * SCALE,
            deaths: deaths * SCALE,
            seed: SEED,
            isShared,
          })
          await storm.run()
          t.diagnostic(JSON.stringify(storm.outcomes))
          const { queued, running } = pool.stats()
          assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
          const healthy = Array.from({ length: 100 }, (_, i) => pool.tasks.echo(undefined, 0, i))
          assert.deepEqual(await Promise.all(healthy), healthy.map((_, i) => i)) // prettier-ignore
          if (storm.seen) {
            assert.ok(
              storm.seen.every((runs) => runs <= 1),
              'no call has run twice',
            )
            assert.ok(
              storm.neverRan.every((index) => storm.seen[index] === 0),
              'what was cancelled in time never ran',
            )
          }
          await pool.close()
          assert.equal(pool.stats().size, 0)
        },
      )
    }
  })
}
