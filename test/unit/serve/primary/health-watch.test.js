// When an instance that serves counts as unhealthy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilUnhealthy } from '../../../../build/serve/primary/health-watch.js'
import { InstanceChannel } from '../../../../build/serve/primary/instance-channel.js'
import { fakeInstanceProcess } from '../../../helpers/fake-instance-process.js'
import { fakeClock } from '../../../helpers/fake-timers.js'
import { nextTurn } from '../../../helpers/waiting.js'

const settings = { path: '/health', intervalMs: 20, threshold: 2 }

/** Watched while its loop turns: its own timers do not keep the process. `answers` has a status for each check, null for none. */
async function watch(answers) {
  let checks = 0
  const instance = fakeInstanceProcess(() => {
    const status = answers[checks++]
    return status === null ? undefined : { threadwise: 'checked', isHealthy: status === 200, answer: `it answered with status ${status}` } // prettier-ignore
  })
  const awake = setInterval(() => {}, 1000)
  const found = await untilUnhealthy(new InstanceChannel(instance.worker), settings)
  clearInterval(awake)
  return { found, checks }
}

test('so many failures in a row count, and a good answer between them begins the count anew', async () => {
  assert.deepEqual(await watch([503, 200, 503, 500]), {
    found: '/health: it answered with status 500, 2 times in a row',
    checks: 4,
  })
})

test('no answer is a failure', async (t) => {
  const pass = fakeClock(t)
  let ended
  void watch([null, null]).then((end) => (ended = end))
  while (!ended) {
    pass(1)
    await nextTurn()
  }
  assert.deepEqual(ended, { found: '/health: no answer within 20 ms, 2 times in a row', checks: 2 })
})
