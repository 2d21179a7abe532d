// The order in which doctor looks at an app.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { profile } from '../../../../build/measure/doctor/look.js'

/** What the app is asked in turn. */
async function askedBy(act) {
  const asked = []
  await act({
    options: { onPhase() {}, paths: [{ path: '/' }], until: performance.now() + 1000 },
    agent: { ask: async (question) => void asked.push(question) },
    requests: { rate: null, during: (see) => see() },
    times: { warmUp: 0, profile: 0 },
    lost: new Promise(() => {}),
    startedAt: performance.now(),
  })
  return asked
}

test('a profile begins while calls are counted, so that V8 makes the code of hot loops anew', async () => {
  const asked = ['profile start', 'profile again', 'profile end']
  assert.deepEqual(await askedBy((look) => profile(look, true)), asked)
  assert.deepEqual(await askedBy((look) => profile(look, false)), ['count start', ...asked])
})
