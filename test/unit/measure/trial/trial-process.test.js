// Trials in real processes: whatever a task does, an answer comes back, and nothing stays behind.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Histogram } from '../../../../build/primitives/histogram.js'
import { startTrialProcess } from '../../../../build/measure/trial/trial-process.js'
import { cpuBudget } from '../../../../build/cpu/cpu-budget.js'
import { limitSupport } from '../../../../build/cpu/limit/limit-support.js'
import { livingWith } from '../../../helpers/processes.js'

const { cpus } = cpuBudget({ env: {} })
const here = { cpus, uv: null }
const PATIENCE = 30_000
const plan = { kind: 'span', open: 1, leadMs: 5, stepMs: 0, countMs: 30 }

function cellOf(file, task, changes = {}) {
  const url = new URL(`../../../fixtures/measured/${file}`, import.meta.url).href
  const source = { kind: 'task', url, task, inputs: [[]] }
  return { source, variant: task, executor: 'inline', size: 1, cpus, uv: null, inFlight: 1, ...changes }
}

/** Starts a trial, asks it these questions, ends it, and gives the answers. */
async function answersOf(cell, questions, place = here, patience = PATIENCE) {
  const trial = await startTrialProcess(place)
  try {
    const answers = []
    const all = [['start', { cell, isLong: false }], ...questions]
    for (const [kind, question] of all) answers.push(await trial.ask(kind, question, patience))
    return { answers, enforcement: trial.enforcement }
  } finally {
    await trial.kill()
  }
}

const windowOf = (open) => ['window', { plan: { ...plan, open }, hasQuota: false }]
const report = ['report', {}]

/** The reason why the first question or the window after it fails. */
async function failure(cell, { patience = PATIENCE, place = here } = {}) {
  const { answers } = await answersOf(cell, [windowOf(1)], place, patience)
  const failed = answers.find((answer) => 'failed' in answer && typeof answer.failed === 'string')
  assert.ok(failed, JSON.stringify(answers))
  return failed.failed
}

describe('a trial in a process of its own', () => {
  for (const [executor, size] of [
    ['inline', 1],
    ['concurrent', 4],
    ['threads', 2],
    ['processes', 2],
  ]) {
    test(`measures a task on ${executor}, window by window`, async () => {
      const open = executor === 'inline' ? 1 : 4
      const cell = cellOf('tasks.js', 'add', { executor, size, inFlight: open })
      const profile = ['profile', { plan: { ...plan, open }, hasQuota: false }]
      const questions = [['warmUp', { ms: 50, cpuMs: 1e6 }], profile, windowOf(open), windowOf(open), report]
      const { answers } = await answersOf(cell, questions)
      const [started, warm, profiled, first, second, usage] = answers
      assert.ok(started.startMs > 0)
      assert.ok(warm.calls > 0 && warm.cpuUs > 0, JSON.stringify(warm))
      assert.ok(first.rate > 0 && second.rate > 0)
      assert.ok(second.wallMs >= plan.leadMs + plan.countMs && !second.isFull)
      assert.ok(usage.calls > profiled.usage.calls && usage.failed === 0)
      assert.ok(Histogram.fromJSON(usage.latency).count > 0)
      assert.ok(Histogram.fromJSON(usage.loopDelay).count > 50)
      assert.equal(usage.leak === null, executor === 'threads' || executor === 'processes')
    })
  }

  test('tells latency and the delay of the loop in milliseconds', async () => {
    const cell = cellOf('tasks.js', 'block', { executor: 'inline', size: 1, inFlight: 1 })
    const { answers } = await answersOf(cell, [
      ['warmUp', { ms: 50, cpuMs: 1e6 }],
      windowOf(1),
      windowOf(1),
      report,
    ])
    const [, , ...windows] = answers
    const { latency, loopDelay } = windows.pop()
    const wholeMs = windows.reduce((sum, { wallMs }) => sum + wallMs, 0)
    const p50 = Histogram.fromJSON(latency).percentile(0.5)
    assert.ok(p50 >= 4.9 && p50 <= wholeMs, `${p50} ms`)
    const late = Histogram.fromJSON(loopDelay).percentile(0.99)
    assert.ok(late >= 2 && late <= wholeMs, `${late} of ${wholeMs} ms`)
  })

  test('works only while it is asked to', async () => {
    const cell = cellOf('tasks.js', 'burn', { executor: 'threads', size: 2, inFlight: 4 })
    const trial = await startTrialProcess(here)
    await trial.ask('start', { cell, isLong: false }, PATIENCE)
    await trial.ask(...windowOf(4), PATIENCE)
    await delay(500) // each of the two workers could use as much
    const { idleCpuMs } = await trial.ask(...windowOf(4), PATIENCE)
    await trial.kill()
    assert.ok(idleCpuMs < 100, `${idleCpuMs} ms of CPU between two windows`)
  })

  test('looks at a task', async () => {
    const { source, variant } = cellOf('tasks.js', 'burn')
    const trial = await startTrialProcess(here)
    const scout = await trial.ask('scout', { source, variant, measureMs: 30 }, PATIENCE)
    await trial.kill()
    const { callUs, argumentBytes, uvWork, errorRate, changesInput, isLazy } = scout
    assert.ok(callUs > 0 && argumentBytes > 0)
    assert.deepEqual([uvWork, errorRate, changesInput, isLazy], [[], 0, false, false])
  })

  test('times a burst, and the memory of idle workers', async () => {
    const cell = cellOf('tasks.js', 'add')
    const trial = await startTrialProcess(here)
    const { endsMs } = await trial.ask('burst', { cell, calls: 3, bursts: 2 }, PATIENCE)
    const memory = await trial.ask('memory', { cell }, PATIENCE)
    await trial.kill()
    assert.deepEqual(endsMs.map((ends) => ends.length), [3, 3]) // prettier-ignore
    for (const ends of endsMs) assert.deepEqual(ends, [...ends].sort((a, b) => a - b)) // prettier-ignore
    assert.ok(memory.rssBytes > 1e6)
  })

  test('gives the process the size of the libuv pool that the cell names, and not THREADWISE_CPUS', async () => {
    process.env.THREADWISE_CPUS = '1.5'
    try {
      const cell = cellOf('environment.js', 'failWithPoolSize')
      const { answers } = await answersOf(cell, [windowOf(1), report], { cpus, uv: 7 })
      assert.equal(answers.at(-1).firstError, 'Error: UV_THREADPOOL_SIZE=7 THREADWISE_CPUS=undefined')
    } finally {
      delete process.env.THREADWISE_CPUS
    }
  })
})

describe('a trial fails with a reason when its task', () => {
  test('ends the process', async () => {
    assert.equal(await failure(cellOf('trouble.js', 'leave')), 'its process ended with exit code 7')
  })

  test('does not return', async () => {
    assert.match(
      await failure(cellOf('trouble.js', 'spin'), { patience: 1500 }),
      /^it did not answer within 1\.5 s$/,
    )
  })

  test('does not return in a child process of the pool, which ends too', { timeout: 60_000 }, async () => {
    const marker = `TW_MARKER_${process.pid}`
    process.env[marker] = '1'
    try {
      const cell = cellOf('trouble.js', 'spinInPool', { executor: 'processes', size: 1, inFlight: 1 })
      assert.match(await failure(cell, { patience: 3000 }), /^it did not answer within/)
      assert.deepEqual(await livingWith(`${marker}=1`), [])
    } finally {
      delete process.env[marker]
    }
  })

  test('needs more memory than there is', { timeout: 60_000 }, async () => {
    const before = process.env.NODE_OPTIONS
    process.env.NODE_OPTIONS = '--max-old-space-size=40'
    try {
      assert.equal(await failure(cellOf('trouble.js', 'fillHeap')), 'it ran out of memory')
    } finally {
      if (before === undefined) delete process.env.NODE_OPTIONS
      else process.env.NODE_OPTIONS = before
    }
  })

  test('throws where nobody catches it', async () => {
    assert.match(await failure(cellOf('trouble.js', 'crashLater')), /ended with exit code 1: RangeError: nobody catches this/) // prettier-ignore
  })

  test('is in a module that does not exist, or does not load', async () => {
    assert.match(await failure(cellOf('missing.js', 'add')), /missing\.js|Cannot find module/)
    assert.match(await failure(cellOf('broken.js', 'add')), /broken on purpose/)
  })

  test('is interrupted, before or while it runs', async () => {
    const signal = AbortSignal.abort('enough')
    assert.equal(await failure(cellOf('tasks.js', 'add'), { place: { ...here, signal } }), 'interrupted')
    const controller = new AbortController()
    const trial = failure(cellOf('trouble.js', 'spin'), { place: { ...here, signal: controller.signal } })
    setTimeout(() => controller.abort(), 50)
    assert.equal(await trial, 'interrupted')
  })

  test('has arguments that no process can be sent', async () => {
    const cell = cellOf('tasks.js', 'add')
    cell.source.inputs = [[() => 1]]
    assert.match(await failure(cell), /cannot be sent/)
  })
})

test('counts the calls that throw and keeps the first message', async () => {
  const { answers } = await answersOf(cellOf('trouble.js', 'crash'), [windowOf(1), report])
  const [, window, usage] = answers
  assert.equal(window.rate, 0)
  assert.ok(usage.calls > 0 && usage.failed === usage.calls)
  assert.equal(usage.firstError, 'TypeError: this task is broken')
})

describe('the CPU limit of a trial', () => {
  const [fraction] = limitSupport()
  const isCgroup = fraction.method?.startsWith('cgroup') ?? false
  const skip = isCgroup ? false : `no cgroup can be made here (${fraction.method ?? 'no limit is possible'})`
  const limited = { cpus: fraction.cpus, uv: null }

  test('is applied, and its cgroup is removed again, also after a failure', { skip }, async () => {
    const { enforcement } = await answersOf(cellOf('tasks.js', 'add'), [windowOf(1)], limited)
    assert.equal(enforcement.method, fraction.method)
    assert.equal(enforcement.exact, true)
    await failure(cellOf('trouble.js', 'leave'), { place: limited })
    await failure(cellOf('trouble.js', 'spin'), { place: limited, patience: 1000 })
    assert.deepEqual(ownCgroups(), [])
  })

  test('can be lifted and put back while it lives', { skip }, async () => {
    const trial = await startTrialProcess(limited)
    const before = quotaOf(ownCgroups())
    trial.liftLimit()
    assert.ok(['-1', 'max'].includes(quotaOf(ownCgroups())), quotaOf(ownCgroups()))
    trial.restoreLimit()
    assert.equal(quotaOf(ownCgroups()), before)
    await trial.kill()
  })

  test('that is more than there is rejects with TW_ERR_LIMIT_UNAVAILABLE', async () => {
    await assert.rejects(startTrialProcess({ cpus: cpus + 100, uv: null }), {
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

/** As the kernel has it, of a cgroup of either version. */
function quotaOf([name]) {
  const roots = ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct']
  const folders = [...roots, ...roots.map((root) => root + ownPath())].map((root) => `${root}/${name}`)
  const files = folders.flatMap((folder) => [`${folder}/cpu.max`, `${folder}/cpu.cfs_quota_us`])
  return readFileSync(files.find(existsSync), 'utf8').trim().split(' ')[0]
}

function ownPath() {
  return /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? ''
}
