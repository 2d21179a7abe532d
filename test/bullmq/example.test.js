// examples/cluster does what it says.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startRedis, withoutRedis } from '../helpers/redis.js'

const main = fileURLToPath(new URL('../../examples/cluster/main.js', import.meta.url))

test(
  'a search over three workers gives the ranking of one process, although one is killed',
  { skip: withoutRedis },
  async (t) => {
    const redis = await startRedis(t)
    const { stdout } = await promisify(execFile)(process.execPath, [main, redis.url, '200'], {
      timeout: 280_000,
    })
    const lines = stdout.trim().split('\n')
    assert.equal(lines.length, 6)
    for (const line of lines.slice(0, 5)) assert.match(line, /^document \d+: \d+\.\d{4}$/)
    assert.equal(lines[5], 'the same as in one process')
  },
)
