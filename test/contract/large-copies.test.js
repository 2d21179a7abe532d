// Many large copies: each thread collects those that were dropped, long before V8 would by itself.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { PerformanceObserver, constants } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { threads } from '../../dist/index.js'
import { collectGarbage } from '../helpers/collect-garbage.js'
import { askUntil } from '../helpers/waiting.js'

const module = new URL('../fixtures/collections.js', import.meta.url)
const collector = new URL('../../build/runtime/threads/young-collection.js', import.meta.url)
const MB = 1024 * 1024
const CALLS = 320

/** How often the young generation was collected, here and in the only worker, while 320 MB went each way. */
async function collectionsOf(options) {
  let here = 0
  const observer = new PerformanceObserver((list) => {
    here += list
      .getEntries()
      .filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MINOR).length
  })
  observer.observe({ entryTypes: ['gc'] })
  const pool = threads(module, { size: 1, ...options })
  try {
    await pool.run('watchCollections')
    const bytes = new Uint8Array(MB).fill(7)
    for (let i = 0; i < CALLS; i++) assert.equal((await pool.run('echo', [bytes])).length, MB)
    await delay(50) // observers are told a moment later
    return { here, there: await pool.run('collections') }
  } finally {
    observer.disconnect()
    await pool.close()
  }
}

// Up to V8 12 it does by itself what is tested here.
const skip = parseFloat(process.versions.v8) < 13.6 && 'V8 collects early by itself'

/** V8 would do it every 128 MB: five times. */
const OFTEN = 20

for (const transport of ['shared', 'message']) {
  test(`threads collect oftener than V8 would by itself (transport: ${transport})`, { skip }, async () => {
    // On a busy machine a collection may wait for a CPU, and then the thread rests for longer.
    const isOften = ({ here, there }) => here > OFTEN && there > OFTEN
    await askUntil(() => collectionsOf({ transport }), isOften)
  })
}

/** The most that buffers took, in megabytes, here and in the only worker, once both had collected their whole heaps. */
async function peakAfterCollection() {
  const pool = threads(module, { size: 1 })
  try {
    const bytes = new Uint8Array(MB).fill(7)
    const peak = { here: 0, there: 0 }
    const copy = async (calls) => {
      for (let i = 0; i < calls; i++) {
        const { value, bytes: there } = await pool.run('measured', [bytes])
        assert.equal(value.length, MB)
        peak.there = Math.max(peak.there, there / MB)
        peak.here = Math.max(peak.here, getHeapStatistics().external_memory / MB)
      }
    }
    const lanes = () => Promise.all([copy(CALLS / 4), copy(CALLS / 4), copy(CALLS / 4), copy(CALLS / 4)])
    await lanes()
    await pool.run('collectAll') // what both keep between calls is old then
    collectGarbage()
    Object.assign(peak, { here: 0, there: 0 })
    await lanes()
    return peak
  } finally {
    await pool.close()
  }
}

test('copies die young after the whole heap was collected, too', { skip }, async () => {
  // V8 collects it anew at 64 MB. On a busy machine a collection may wait for a CPU, and more gathers.
  await askUntil(peakAfterCollection, ({ here, there }) => here < 56 && there < 40)
})

/** In a process of its own: where V8 is just about to collect everything, it keeps for longer what is young then. */
async function printedBy(flags, text) {
  const args = [...flags, '--input-type=module', '-e', text]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.trim()
}

test('what was dropped is freed, and what is in use is kept', { skip }, async () => {
  const script = `
    import { createCopyCollector } from ${JSON.stringify(collector.href)}
    import { setTimeout } from 'node:timers/promises'
    const MB = 1024 * 1024
    const kept = Array.from({ length: 8 }, (_, i) => new Uint8Array(MB).fill(i))
    const fill = () => Array.from({ length: 24 }, () => new ArrayBuffer(MB)).length
    const before = process.memoryUsage().arrayBuffers
    fill()
    createCopyCollector(() => performance.now())()
    const grown = () => process.memoryUsage().arrayBuffers - before
    // V8 frees the memory beside the program. After a hundred times it would collect by itself.
    for (let asked = 0; grown() >= 4 * MB && asked < 50; asked++) await setTimeout(20)
    console.log(grown() < 4 * MB && kept.every((bytes, i) => bytes.length === MB && bytes.every((byte) => byte === i)))`
  assert.equal(await printedBy([], script), 'true')
})

describe('the flag is as it was', () => {
  const script = (text) => `
    import { setFlagsFromString } from 'node:v8'
    import { createContext, runInContext } from 'node:vm'
    import { createCopyCollector } from ${JSON.stringify(collector.href)}
    const has = () => runInContext('typeof globalThis.gc', createContext())
    ${text}
    createCopyCollector(() => performance.now())()
    console.log(typeof globalThis.gc, has())`
  const kinds = [
    ['not set', [], '', 'undefined undefined'],
    ['set at the start', ['--expose-gc'], '', 'function function'],
    ['set by the program', [], `setFlagsFromString('--expose-gc')`, 'undefined function'],
    ['with a function of its own', [], 'globalThis.gc = () => {}', 'function undefined'],
    ['that must not be set', ['--freeze-flags-after-init'], '', 'undefined undefined'],
  ]
  for (const [name, flags, text, printed] of kinds)
    test(name, async () => {
      assert.equal(await printedBy(flags, script(text)), printed)
    })
})
