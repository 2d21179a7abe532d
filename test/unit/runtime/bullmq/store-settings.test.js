// Settings of Redis that put jobs at risk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresRisks } from '../../../../build/runtime/bullmq/connection/postgres-connection.js'
import { redisRisks } from '../../../../build/runtime/bullmq/connection/redis-connection.js'

const info = (policy, aof) =>
  `# Memory\r\nmaxmemory_policy:${policy}\r\n# Persistence\r\naof_enabled:${aof}\r\n`

test('are told, and only these', () => {
  assert.deepEqual(redisRisks(info('noeviction', 1)), [])
  assert.deepEqual(redisRisks(''), [])
  assert.match(
    redisRisks(info('allkeys-lru', 1)).join(),
    /^Redis throws jobs away .*allkeys-lru\). Set it to noeviction\.$/,
  )
  assert.match(redisRisks(info('noeviction', 0)).join(), /^Redis forgets .*appendonly yes\.$/)
  assert.equal(redisRisks(info('volatile-ttl', 0)).length, 2)
  assert.match(
    redisRisks('role:slave\r\nslave_read_only:1\r\n').join(),
    /^This Redis is a replica .*main one\.$/,
  )
  assert.deepEqual(redisRisks('role:slave\r\nslave_read_only:0\r\nredis_version:7.0.15\r\n'), [])
  assert.match(redisRisks('redis_version:6.0.16\r\n').join(), /^Redis 6\.0 is too old/)
})

test('of PostgreSQL too', () => {
  const settings = (fsync, commit) => [{ name: 'fsync', setting: fsync }, { name: 'synchronous_commit', setting: commit }] // prettier-ignore
  assert.deepEqual(postgresRisks(settings('on', 'on')), [])
  assert.deepEqual(postgresRisks(settings('on', 'remote_apply')), [])
  assert.match(
    postgresRisks(settings('off', 'on')).join(),
    /^PostgreSQL forgets .*\(fsync off\)\. Set it to on\.$/,
  )
  assert.equal(postgresRisks(settings('off', 'off')).length, 2)
})
