// A program that has nothing left to do ends by itself, closed or not, and leaves no process behind.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { kinds } from '../helpers/executors.js'

const program = fileURLToPath(new URL('../fixtures/programs/use-and-forget.js', import.meta.url))

function run(kind, scenario, ...options) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, kind, scenario, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    const killer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    child.on('close', (code, signal) => {
      clearTimeout(killer)
      resolve({ code: signal ?? code, output, pid: child.pid })
    })
  })
}

/** Processes whose parent was `pid`, or that run our entry without a parent. Linux only. */
function childrenOf(pid) {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false
    try {
      return Number(readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === pid
    } catch {
      return false
    }
  })
}

const expected = {
  'never used': '',
  'waited for ready': '',
  'after its calls': '1 [ 2, 4 ]\n',
  'calls that nobody awaits': 'late 1\n',
  'a caught error': 'TW_ERR_TASK_NOT_FOUND\n',
  'after close': 'closed\n',
}

for (const kind of kinds) {
  describe(`${kind}: the end of the program`, () => {
    for (const [scenario, output] of Object.entries(expected)) {
      test(scenario, async () => {
        const ended = await run(kind, scenario)
        assert.deepEqual({ code: ended.code, output: ended.output }, { code: 0, output })
        if (process.platform === 'linux') assert.deepEqual(childrenOf(ended.pid), [])
      })
    }
  })
}

describe('with labelled output a program ends', () => {
  for (const kind of ['threads', 'processes']) {
    test(`on ${kind}`, async () => {
      const { code, output } = await run(kind, 'after its calls', 'labelled')
      assert.deepEqual({ code, output }, { code: 0, output: expected['after its calls'] })
    })
  }
})

describe('process.exit with calls open', () => {
  for (const kind of ['threads', 'processes']) {
    test(`ends at once on ${kind}`, async () => {
      assert.equal((await run(kind, 'exit with calls open')).code, 5)
    })
  }
})
