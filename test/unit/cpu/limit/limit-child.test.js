// Limits that the kernel of this machine really enforces; where it cannot, the test says why and is skipped.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { openFileTree } from '../../../../build/cpu/file-tree.js'
import { cpuBudget } from '../../../../build/cpu/cpu-budget.js'
import { ownFolder } from '../../../../build/cpu/limit/limit-cgroup.js'
import { openCpuLimit } from '../../../../build/cpu/limit/limit-child.js'
import { limitSupport } from '../../../../build/cpu/limit/limit-support.js'

const fixtures = path.join(import.meta.dirname, '../../../fixtures/cpu')
const budget = cpuBudget({ env: {} }).cpus
const [support] = limitSupport()
const canLimit = budget > 0.5 && support.exact
const hasFolder = canLimit && support.method.startsWith('cgroup')
const reasons = JSON.stringify(support.refusals)
const exact = {
  skip: canLimit ? false : `no exact limit of 0.5 CPU on this machine: ${reasons}`,
  timeout: 40_000,
}
const folder = {
  skip: hasFolder ? false : `no cgroup of our own on this machine: ${reasons}`,
  timeout: 40_000,
}

describe('a child under a real limit of 0.2 CPU', exact, () => {
  test('gets no more than that and is throttled, and sees its limit', async () => {
    // A machine that is busy with others may give it less than a large part of a CPU, and so never throttle it.
    const limit = await openCpuLimit(0.2)
    assert.deepEqual([limit.cpus, limit.exact], [0.2, true])
    const result = await burnUnder(limit)
    await limit.remove()
    assert.equal(result.budget.cpus, 0.2)
    assert.ok(result.cpuMs <= 0.35 * result.wallMs, `${result.cpuMs} ms CPU in ${result.wallMs} ms`)
    assert.ok(result.after.throttledPeriods > result.before.throttledPeriods)
    assert.ok(result.after.throttledMs > result.before.throttledMs)
  })
})

describe('the cgroup of a limit', folder, () => {
  test('is removed together with what runs inside, and removing it twice does nothing', async () => {
    const limit = await openCpuLimit(0.5)
    assert.equal(cgroupsOf(process.pid).length, 1)
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    limit.adopt(child.pid)
    const ended = once(child, 'exit')
    await limit.remove()
    await limit.remove()
    assert.deepEqual(cgroupsOf(process.pid), [])
    assert.deepEqual(await ended, [null, 'SIGKILL'])
  })

  test('adopting a child that has ended already is no error', async () => {
    const limit = await openCpuLimit(0.5)
    const child = spawn(process.execPath, ['--version'])
    await once(child, 'exit')
    limit.adopt(child.pid)
    await limit.remove()
  })

  for (const ending of ['exit', 'throw']) {
    test(`goes away with its child when the opener ends by ${ending}`, async () => {
      const opener = spawn(process.execPath, [path.join(fixtures, 'open-limit-and-end.js'), ending])
      await once(opener, 'close') // its child holds the same pipe, so this needs the child's end as well
      assert.deepEqual(cgroupsOf(opener.pid), [])
    })
  }

  test('that a SIGKILL left behind is swept, with its child, when the next limit is opened', async () => {
    const opener = spawn(process.execPath, [path.join(fixtures, 'open-limit-and-end.js'), 'kill'])
    const output = text(opener.stdout)
    const closed = once(opener, 'close')
    await once(opener, 'exit') // no count of what it left: another test may sweep at any time
    const limit = await openCpuLimit(0.5)
    await limit.remove()
    assert.deepEqual(cgroupsOf(opener.pid), [])
    await closed
    assert.equal(JSON.parse(await output).method, support.method)
  })
})

describe('what is no limit, or none that can be had', () => {
  test('the budget itself needs no limit', async () => {
    const limit = await openCpuLimit(budget)
    assert.deepEqual([limit.method, limit.exact], ['none', true])
    assert.deepEqual(limit.wrap('node', ['x.js']), { file: 'node', args: ['x.js'] })
    limit.adopt(process.pid)
    await limit.remove()
  })

  test('more than the budget is refused with the reason', async () => {
    await assert.rejects(openCpuLimit(budget + 1), {
      code: 'TW_ERR_LIMIT_UNAVAILABLE',
      message: /this process itself may use only/,
    })
  })

  for (const cpus of [0, -1, 0.001, NaN, Infinity, '1', undefined]) {
    test(`${String(cpus)} is refused as an option`, async () => {
      await assert.rejects(openCpuLimit(cpus), { code: 'TW_ERR_INVALID_OPTION' })
    })
  }

  test('where no way works, the error says why for each of them', async () => {
    const options = { root: path.join(fixtures, 'no-proc'), env: { PATH: '' } }
    await assert.rejects(openCpuLimit(0.5, options), {
      code: 'TW_ERR_LIMIT_UNAVAILABLE',
      message:
        /cgroup-v2: no cgroup v2 .*cgroup-v1: no cgroup v1 .*systemd-run: .* not installed; taskset: it can only give whole/,
    })
  })
})

function cgroupsOf(pid) {
  return readdirSync(ownFolder(openFileTree(), support.method)).filter((name) =>
    name.startsWith(`threadwise-${pid}-`),
  )
}

async function burnUnder(limit) {
  const { file, args } = limit.wrap(process.execPath, [path.join(fixtures, 'burn-when-told.js')])
  const env = { ...process.env, THREADWISE_CPUS: undefined }
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  limit.adopt(child.pid)
  child.stdin.write('x')
  return JSON.parse(await text(child.stdout))
}
