// The options of serve(): defaults, and what is refused.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resolveServeOptions } from '../../../../build/serve/contract/resolve-options.js'
import { reusePortProblem } from '../../../../build/serve/contract/reuse-port.js'

const file = fileURLToPath(import.meta.url)

test('the defaults', () => {
  const { onEvent, instances, ...rest } = resolveServeOptions(file, {})
  onEvent({})
  assert.ok(instances >= 1)
  assert.deepEqual(rest, {
    ...{ file, name: 'resolve-options.test', args: [], env: {}, execArgv: process.execArgv },
    ...{ healthIntervalMs: 10_000, healthThreshold: 3 },
    ...{ waitReady: false, health: null, graceMs: 10_000, readyTimeoutMs: 30_000, listenTimeoutMs: null },
    ...{ hangTimeoutMs: null, maxMemory: null, maxRequests: null },
    ...{ stickyBy: null, reusePort: false, scaling: null },
    ...{
      cwd: process.cwd(),
      instanceVariable: null,
      incrementVariable: null,
      stopSignal: 'SIGTERM',
      parallel: 1,
    },
    ...{
      program: null,
      isJob: false,
      hasGroups: true,
      restart: 'always',
      stopExitCodes: [],
      restartDelayMs: null,
    },
    ...{ maxRestarts: 10, minUptimeMs: 10_000 },
  })
})

test('a file is a path or a file: URL', () => {
  assert.equal(resolveServeOptions(pathToFileURL(file), {}).file, file)
  assert.equal(resolveServeOptions(pathToFileURL(file).href, {}).file, file)
})

test('sizes of memory', () => {
  for (const [size, bytes] of [
    [1e9, 1e9],
    ['300m', 300 * 1024 ** 2],
    ['300MB', 300 * 1024 ** 2],
    ['1.5g', 1.5 * 1024 ** 3],
    ['65536k', 64 * 1024 ** 2],
    ['104857600', 100 * 1024 ** 2],
  ])
    assert.equal(resolveServeOptions(file, { maxMemory: size }).maxMemory, bytes)
})

test('a number of instances by rule', () => {
  const resolved = resolveServeOptions(file, { min: 2, max: 6, scaleUp: 0.7 })
  assert.equal(resolved.instances, 2)
  assert.deepEqual(resolved.scaling, { min: 2, max: 6, up: 0.7, down: 0.3, queue: Infinity, everyMs: 5000 })
  assert.equal(resolveServeOptions(file, { max: 3, scaleQueue: 20 }).scaling.queue, 20)
  assert.equal(resolveServeOptions(file, { max: 3 }).scaling.min, 1)
  assert.equal(resolveServeOptions(file, { min: 1 }).scaling.max, resolveServeOptions(file, {}).instances)
  assert.equal(resolveServeOptions(file, { min: 2, max: 6, instances: 4 }).instances, 4)
  for (const wrong of [
    { min: 3, max: 2 },
    { max: 2, instances: 3 },
    { min: 2, max: 3, instances: 1 },
    ...[0, 1.1, NaN, '0.8', null].map((scaleUp) => ({ max: 2, scaleUp })),
    ...[0, -1, 0.8, 0.9, NaN, null].map((scaleDown) => ({ max: 2, scaleDown })),
    ...[0, -1, NaN, Infinity, '5', null].map((scaleQueue) => ({ max: 2, scaleQueue })),
    ...[0, 99, NaN, Infinity, '5', null].map((scaleInterval) => ({ max: 2, scaleInterval })),
  ])
    assert.throws(
      () => resolveServeOptions(file, wrong),
      { code: 'TW_ERR_INVALID_OPTION' },
      JSON.stringify(wrong),
    )
})

test('as many as there are CPUs is cut to what the rule allows; a number is not', (t) => {
  const { THREADWISE_CPUS: before } = process.env
  t.after(() =>
    before === undefined ? delete process.env.THREADWISE_CPUS : (process.env.THREADWISE_CPUS = before),
  )
  process.env.THREADWISE_CPUS = '4'
  const started = (options) => resolveServeOptions(file, options).instances
  assert.equal(started({ instances: 'max', max: 2 }), 2)
  assert.equal(started({ instances: 'max', min: 6, max: 8 }), 6)
  assert.equal(started({ instances: 'max', max: 8 }), 4)
  assert.throws(() => started({ instances: 4, max: 2 }), { code: 'TW_ERR_INVALID_OPTION' })
})

test('sticky beside reusePort, and reusePort where Node does not have it, are refused', () => {
  const expected = { code: 'TW_ERR_INVALID_OPTION', message: /^(sticky|reusePort) must be left out/ }
  assert.throws(() => resolveServeOptions(file, { sticky: 'address', reusePort: true }), expected)
  if (reusePortProblem() === null)
    assert.equal(resolveServeOptions(file, { reusePort: true }).reusePort, true)
  else assert.throws(() => resolveServeOptions(file, { reusePort: true }), expected)
})

describe('refused', () => {
  const wrong = {
    instances: [0, -1, 1.5, 'many', NaN, null, 5000],
    name: ['', 'a b', '../a', '.a', '-a', 'a'.repeat(41), 5],
    args: ['x', [1]],
    execArgv: ['x', [null]],
    env: [null, 'PORT=1'],
    grace: [0, -1, NaN, Infinity, '5'],
    readyTimeout: [0, '1'],
    waitReady: [1, null],
    health: ['', 'health', '/a b', 5, '/a\r\nb'],
    healthInterval: [5000],
    healthThreshold: [3],
    hangTimeout: [0, 499, NaN, Infinity, null],
    maxMemory: [0, 300, '300', '', 'much', '1t', '-1g', '1m', NaN, null, {}],
    maxRequests: [0, -1, 1.5, '5', NaN, null],
    sticky: ['cookie', 'cookie=', 'cookie=a b', 'cookie=a;', 'cookie=a=b', 'cookie="a"', 'cookie=ä', 'cookie=a\n', 'Cookie=a', ' cookie=a', true, null, ''], // prettier-ignore
    reusePort: [1, null, 'yes'],
    min: [0, -1, 1.5, NaN, '2', null, 5000],
    max: [0, -1, 1.5, NaN, '2', null, 5000, 'many'],
    scaleUp: [0.5],
    scaleDown: [0.5],
    scaleQueue: [20],
    scaleInterval: [1000],
    onEvent: [1, null],
    ...{ cwd: ['', 5, '/no/such/folder', file], instanceVariable: ['', 'A B', '1', null] },
    ...{ stopSignal: ['', 'TERM', 'SIGKILL', 'SIGSTOP', 15, null], parallel: [0, 1.5, '2', null] },
    ...{ portless: [1, null], interpreter: ['', 5, null], restart: ['', 'no', null] },
    ...{ stopExitCodes: [[-1], [256], ['0'], 0, null], restartDelay: [-1, NaN, '5', null] },
    listenTimeout: [0, '1', null],
    ...{ maxRestarts: [0, 1.5, '3', 'all', null], minUptime: [0, -1, '1', null] },
  }
  for (const [option, values] of Object.entries(wrong)) {
    test(`${option}: ${values.map(String).join(' | ').slice(0, 60)}`, () => {
      for (const value of values) {
        const expected = { code: 'TW_ERR_INVALID_OPTION', message: new RegExp(`^${option} must be`) }
        assert.throws(() => resolveServeOptions(file, { [option]: value }), expected, String(value))
      }
    })
  }

  test('a file that is none', () => {
    for (const value of [
      '',
      'no-such-file.js',
      fileURLToPath(new URL('.', import.meta.url)),
      5,
      undefined,
      new URL('http://a/'),
    ]) {
      assert.throws(() => resolveServeOptions(value, {}), {
        code: 'TW_ERR_INVALID_OPTION',
        message: /^file must be/,
      })
    }
  })
})
