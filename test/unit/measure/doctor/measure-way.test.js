// The way of a call to a thread and back is measured without a call of the function.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import { measureWay } from '../../../../build/measure/doctor/proof/measure-way.js'

const text = (value) => serialize(value).toString('base64')

test('the way of a call takes the event loop some time, and needs nothing but what it was given and gave', async () => {
  const calls = [1, 2].map((n) => ({ given: text([{ n, rows: ['x'.repeat(100)] }]), result: text({ n }) }))
  const { together, apart } = await measureWay({ calls, callMs: 1, pauseMs: 2 })
  assert.ok(together > 0 && apart >= 0)
})
