// A program that has nothing left to do ends by itself, closed or not, and leaves no process behind.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { kinds } from '../helpers/executors.js'
import { livingWith } from '../helpers/processes.js'

const program = fileURLToPath(new URL('../fixtures/programs/use-and-forget.js', import.meta.url))

let runs = 0

/** `marker` is in the environment of the program, and of all that it starts. */
function run(kind, scenario, ...options) {
  const name = `TW_EXIT_${process.pid}_${++runs}`
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, kind, scenario, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, [name]: '1' },
    })
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    const killer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    child.on('close', (code, signal) => {
      clearTimeout(killer)
      resolve({ code: signal ?? code, output, marker: `${name}=1` })
    })
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
        if (process.platform === 'linux') assert.deepEqual(await livingWith(ended.marker), [])
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
