// Some faults of a day on services in the background; bench/field/faults.mjs has the whole day.
//
// THREADWISE_STORM=10 makes it ten times as long; THREADWISE_SEED=7 repeats another one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultDay } from '../helpers/fault-day.js'
import { temporaryFolder } from '../helpers/files.js'
import { randomNumbers } from '../helpers/random-numbers.js'

const SCALE = Number(process.env.THREADWISE_STORM ?? 1)
const SEED = Number(process.env.THREADWISE_SEED ?? Date.now() % 1e6)
const limit = {
  timeout: 240_000 * SCALE,
  skip: process.platform !== 'linux' && 'processes are found as on Linux',
}

test(`no service is down and not known to be (seed ${SEED})`, limit, async (t) => {
  const { counts, wrong } = await faultDay({ folder: temporaryFolder(t), random: randomNumbers(SEED), ms: 45_000 * SCALE }) // prettier-ignore
  assert.deepEqual(wrong, [])
  assert.ok(Object.keys(counts).length > 0)
})
