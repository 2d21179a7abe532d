// The CPU time of a server that is measured: that of all its processes.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'node:test'
import { asGiven } from '../../../../build/cpu/limit/limit-method.js'
import { cpuSecondsOfGroup } from '../../../../build/measure/machine/process-resources.js'
import { startServer } from '../../../../build/measure/server/start-server.js'

const skip = existsSync('/proc/self/stat') ? false : 'there is no /proc'
const file = fileURLToPath(new URL('../../../fixtures/servers/measured/delegating.js', import.meta.url))

function started(row) {
  const limit = { wrap: asGiven, adopt: () => {} }
  return startServer({ file, row, args: [], env: {}, limit, signal: undefined })
}

/** Of the process alone, in seconds: utime and stime. */
function ownSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

describe('the CPU time of a server', { skip }, () => {
  test('holds that of its child processes, also after they have ended', async () => {
    const server = await started({ way: 'single', instances: 1 })
    try {
      const before = cpuSecondsOfGroup(server.group)
      assert.ok(before >= ownSeconds(server.group) + 0.4, String(before))
      await (await fetch(`${server.origin}/end`)).text()
      const after = cpuSecondsOfGroup(server.group)
      assert.equal(before, Math.round(before * 100) / 100, 'not a number of whole ticks')
      assert.ok(after >= before, `${after} s after its end, ${before} s before`)
    } finally {
      await server.stop()
    }
    assert.equal(cpuSecondsOfGroup(server.group), null)
  })

  test('holds that of the children of each instance of a cluster', async () => {
    const server = await started({ way: 'cluster', instances: 2 })
    try {
      assert.ok(cpuSecondsOfGroup(server.group) >= 1)
    } finally {
      await server.stop()
    }
  })
})
