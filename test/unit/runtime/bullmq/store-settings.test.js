// Settings of Redis that put jobs at risk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { risksIn } from '../../../../build/runtime/bullmq/redis-connection.js'

const info = (policy, aof) =>
  `# Memory\r\nmaxmemory_policy:${policy}\r\n# Persistence\r\naof_enabled:${aof}\r\n`

test('are told, and only these', () => {
  assert.deepEqual(risksIn(info('noeviction', 1)), [])
  assert.deepEqual(risksIn(''), [])
  assert.match(
    risksIn(info('allkeys-lru', 1)).join(),
    /^Redis throws jobs away .*allkeys-lru\). Set it to noeviction\.$/,
  )
  assert.match(risksIn(info('noeviction', 0)).join(), /^Redis forgets .*appendonly yes\.$/)
  assert.equal(risksIn(info('volatile-ttl', 0)).length, 2)
})
