// Who asks a server that is away waits for it; what it answers is not asked again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPatience } from '../../../../build/runtime/bullmq/connection/patience.js'

const refused = (code) => Object.assign(new Error(`said ${code}`), { code, severity: 'FATAL' })
const keptAlive = async (promise) => {
  const alive = setInterval(() => {}, 1000) // its pauses keep no process alive
  return promise.finally(() => clearInterval(alive))
}

test('it is asked until it is there, and each problem is told', async () => {
  const problems = []
  const failures = [
    new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('other')], ''),
    Object.assign(new Error('Connection terminated unexpectedly')),
    refused('57P03'),
    refused('08006'),
    refused('40P01'),
  ]
  const told = createPatience((problem) => problems.push(problem))
  const answer = told.try(async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return 'there'
  })
  assert.equal(await keptAlive(answer), 'there')
  assert.deepEqual(problems, ['connect ECONNREFUSED ::1:5432', 'Connection terminated unexpectedly', 'said 57P03', 'said 08006', 'said 40P01']) // prettier-ignore
})

for (const code of ['28P01', '3D000', '42501', '22P05'])
  test(`${code} is an answer`, async () => {
    const patience = createPatience(() => {})
    await assert.rejects(
      patience.try(() => Promise.reject(refused(code))),
      { code },
    )
  })

test('when it is over, whoever waits is told', async () => {
  const patience = createPatience(() => {})
  const waiting = patience.try(() => Promise.reject(new Error('away')))
  setImmediate(() => patience.end())
  await assert.rejects(waiting, { message: 'Connection is closed.' })
  await assert.rejects(
    patience.try(async () => 1),
    { message: 'Connection is closed.' },
  )
})
