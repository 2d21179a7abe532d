// Trials in real processes: whatever a task does, an answer comes back, and nothing stays behind.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Histogram } from '../../../../build/primitives/histogram.js'
import { runTrialProcess, trialRunner } from '../../../../build/measure/trial/trial-process.js'
import { cpuBudget } from '../../../../build/cpu/cpu-budget.js'
import { limitSupport } from '../../../../build/cpu/limit/limit-support.js'
import { livingWith } from '../../../helpers/processes.js'

const { cpus } = cpuBudget({ env: {} })
const here = { cpus, uv: null }
const timing = { warmUpMs: { least: 5, most: 20 }, measureMs: 30 }

function request(file, task, changes = {}) {
  const url = new URL(`../../../fixtures/measured/${file}`, import.meta.url).href
  const source = { kind: 'task', url, task, inputs: [[]] }
  const cell = { source, variant: task, executor: 'inline', size: 1, cpus, uv: null, inFlight: 1, ...changes }
  return { kind: 'cell', cell, timing }
}

async function failure(trial) {
  const { answer } = await trial
  assert.equal(answer.kind, 'failed', JSON.stringify(answer))
  return answer.reason
}

describe('a trial in a process of its own', () => {
  for (const [executor, size] of [
    ['inline', 1],
    ['concurrent', 4],
    ['threads', 2],
    ['processes', 2],
  ]) {
    test(`measures a task on ${executor}`, async () => {
      const inFlight = executor === 'inline' ? 1 : 4
      const { answer } = await runTrialProcess(request('tasks.js', 'add', { executor, size, inFlight }), here)
      assert.equal(answer.kind, 'cell', JSON.stringify(answer))
      assert.ok(answer.completed > 0 && answer.failed === 0)
      assert.ok(answer.seconds >= timing.measureMs / 1000)
      assert.equal(Histogram.fromJSON(answer.latency).count, answer.completed)
      assert.ok(Histogram.fromJSON(answer.loopDelay).count > 0)
      assert.ok(answer.startMs > 0)
      assert.equal(answer.leakBytes === null, executor === 'threads' || executor === 'processes')
    })
  }

  test('looks at a task', async () => {
    const { source, variant } = request('tasks.js', 'burn').cell
    const { answer } = await runTrialProcess({ kind: 'scout', source, variant, measureMs: 30 }, here)
    assert.equal(answer.kind, 'scout', JSON.stringify(answer))
    const { callUs, argumentBytes, uvWork, errorRate } = answer.scout
    assert.ok(callUs > 0 && argumentBytes > 0)
    assert.deepEqual([uvWork, errorRate], [[], 0])
  })

  test('times a burst, and the memory of idle workers', async () => {
    const { cell } = request('tasks.js', 'add')
    const burst = await runTrialProcess({ kind: 'burst', cell, calls: 3, bursts: 2 }, here)
    assert.deepEqual(
      burst.answer.endsMs.map((ends) => ends.length),
      [3, 3],
    )
    for (const ends of burst.answer.endsMs)
      assert.deepEqual(
        ends,
        [...ends].sort((a, b) => a - b),
      )
    const memory = await runTrialProcess({ kind: 'memory', cell }, here)
    assert.ok(memory.answer.rssBytes > 1e6)
  })

  test('gives the process the size of the libuv pool that the cell names', async () => {
    const { answer } = await runTrialProcess(request('environment.js', 'failWithPoolSize'), {
      ...here,
      uv: 7,
    })
    assert.equal(answer.firstError, 'Error: UV_THREADPOOL_SIZE=7 THREADWISE_CPUS=undefined')
  })

  test('does not pass THREADWISE_CPUS on: the child is to see its real limit', async () => {
    process.env.THREADWISE_CPUS = '1.5'
    try {
      const { answer } = await runTrialProcess(request('environment.js', 'failWithPoolSize'), here)
      assert.match(answer.firstError, /THREADWISE_CPUS=undefined/)
    } finally {
      delete process.env.THREADWISE_CPUS
    }
  })
})

describe('a trial fails with a reason when its task', () => {
  test('ends the process', async () => {
    assert.equal(
      await failure(runTrialProcess(request('trouble.js', 'leave'), here)),
      'its process ended with exit code 7',
    )
  })

  test('does not return', async () => {
    const impatient = trialRunner(300)
    assert.match(
      await failure(impatient(request('trouble.js', 'spin'), here)),
      /^it did not finish within \d+ s$/,
    )
  })

  test('does not return in a child process of the pool, which ends too', { timeout: 60_000 }, async () => {
    const marker = `TW_MARKER_${process.pid}`
    process.env[marker] = '1'
    try {
      const change = { executor: 'processes', size: 1, inFlight: 1 }
      const reason = await failure(trialRunner(1500)(request('trouble.js', 'spinInPool', change), here))
      assert.match(reason, /^it did not finish within/)
      assert.deepEqual(await livingWith(`${marker}=1`), [])
    } finally {
      delete process.env[marker]
    }
  })

  test('needs more memory than there is', { timeout: 60_000 }, async () => {
    const before = process.env.NODE_OPTIONS
    process.env.NODE_OPTIONS = '--max-old-space-size=40'
    try {
      assert.equal(
        await failure(runTrialProcess(request('trouble.js', 'fillHeap'), here)),
        'it ran out of memory',
      )
    } finally {
      if (before === undefined) delete process.env.NODE_OPTIONS
      else process.env.NODE_OPTIONS = before
    }
  })

  test('throws where nobody catches it', async () => {
    assert.match(
      await failure(runTrialProcess(request('trouble.js', 'crashLater'), here)),
      /ended with exit code 1: RangeError: nobody catches this/,
    )
  })

  test('is in a module that does not exist, or does not load', async () => {
    assert.match(
      await failure(runTrialProcess(request('missing.js', 'add'), here)),
      /missing\.js|Cannot find module/,
    )
    assert.match(await failure(runTrialProcess(request('broken.js', 'add'), here)), /broken on purpose/)
  })

  test('is interrupted, before or while it runs', async () => {
    assert.equal(
      await failure(
        runTrialProcess(request('tasks.js', 'add'), { ...here, signal: AbortSignal.abort('enough') }),
      ),
      'interrupted',
    )
    const controller = new AbortController()
    const trial = runTrialProcess(request('trouble.js', 'spin'), { ...here, signal: controller.signal })
    controller.abort()
    assert.equal(await failure(trial), 'interrupted')
  })

  test('has arguments that no process can be sent', async () => {
    const impossible = request('tasks.js', 'add')
    impossible.cell.source.inputs = [[() => 1]]
    assert.match(await failure(runTrialProcess(impossible, here)), /cannot be sent/)
  })
})

test('counts the calls that throw and keeps the first message', async () => {
  const { answer } = await runTrialProcess(request('trouble.js', 'crash'), here)
  assert.equal(answer.kind, 'cell')
  assert.equal(answer.completed, 0)
  assert.ok(answer.failed > 0)
  assert.equal(answer.firstError, 'TypeError: this task is broken')
})

describe('the CPU limit of a trial', () => {
  const [fraction] = limitSupport()
  const isCgroup = fraction.method?.startsWith('cgroup') ?? false
  const skip = isCgroup ? false : `no cgroup can be made here (${fraction.method ?? 'no limit is possible'})`

  test('is applied, and its cgroup is removed again, also after a failure', { skip }, async () => {
    const limited = { cpus: fraction.cpus, uv: null }
    const trial = await runTrialProcess(request('tasks.js', 'add', { cpus: fraction.cpus }), limited)
    assert.equal(trial.answer.kind, 'cell', JSON.stringify(trial.answer))
    assert.equal(trial.enforcement.method, fraction.method)
    assert.equal(trial.enforcement.exact, true)
    await failure(runTrialProcess(request('trouble.js', 'leave'), limited))
    await failure(trialRunner(300)(request('trouble.js', 'spin'), limited))
    assert.deepEqual(ownCgroups(), [])
  })

  test('that is more than there is rejects with TW_ERR_LIMIT_UNAVAILABLE', async () => {
    await assert.rejects(runTrialProcess(request('tasks.js', 'add'), { cpus: cpus + 100, uv: null }), {
      code: 'TW_ERR_LIMIT_UNAVAILABLE',
    })
  })
})

/** Folders that limits of this process made and left in the cgroup trees. */
function ownCgroups() {
  const roots = ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct'].filter(existsSync)
  const own = roots.map((root) => root + ownPath())
  return [...roots, ...own]
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder))
    .filter((name) => name.includes('threadwise') && name.includes(String(process.pid)))
}

function ownPath() {
  return /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? ''
}
