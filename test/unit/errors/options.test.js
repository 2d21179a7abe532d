// No option takes a wrong value in silence, and no way in takes a misspelled name, which would mean the default. The options of each way in are
// those of its types, read by the compiler: one that is new, and has no line here, fails.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import * as threadwise from 'threadwise'
import { mapReduce } from 'threadwise/parallel'
import { create, errorOf, executor, factories, module, optionsOf, ways } from '../../helpers/option-ways.js'

const time = [-1, '5', {}]
const count = [0, 1.5, '2', [2]]
const text = ['', 7, {}]
const flag = ['yes', 1, {}]
const callback = ['log', {}]
const names = [{ 'A=B': 'c' }, { 'A\0': 'b' }, { '': 'a' }, { A: 'b\0c' }]
const variables = ['A=1', [], { A: 1 }, ...names]
const texts = ['--x', [1], {}]
const signal = [new AbortController(), true, {}]

/** option -> some of the values that it refuses, besides null and NaN; `way.option` where a way has another meaning of it. */
const wrong = {
  ...{
    name: text,
    closeTimeout: time,
    startTimeout: time,
    maxQueue: [-1, '5', 1.5],
    whenFull: ['drop', 'wiat'],
  },
  ...{ control: flag, sendNow: flag, messages: [7, 'text', {}], secret: [7, 'short', [], {}] },
  ...{ teardownTimeout: time, host: [7, { log: 'x' }, { then() {} }] },
  ...{ concurrency: count, size: [...count, 1e9, [], { max: 0 }, { min: 3, max: 2 }, { max: 1e9 }] },
  ...{ budget: [0, -1, 'share', 1e9], idleTimeout: time, tasksPerWorker: count, warnAfter: time },
  ...{ balance: ['rond-robin', {}], recycle: [5, [], { maxTasks: 0 }, { maxHeapBytes: 'x' }, { maxAge: 0 }] },
  ...{
    onWorkerExit: ['retry', { retries: 0 }, { retries: 1, backoff: -1 }, {}, []],
    output: ['pipe', true, [], { stdout: 'x' }, { out: 1 }],
  },
  ...{ isolate: flag, argv: texts, cwd: ['', 7, '/no/such/folder'] },
  ...{ onWorkerError: callback, env: variables, execArgv: texts, transport: ['shard', true], maxBlock: time },
  ...{ resourceLimits: [5, [], { stackSizeMb: 0 }, { maxOldGenerationSizeMb: '512' }] },
  ...{
    signal,
    timeout: time,
    queueTimeout: time,
    gracePeriod: time,
    priority: [21, 1.5, '1'],
    key: [{}, true],
    id: ['', 7, {}, 'x'.repeat(501)],
  },
  ...{ connection: ['', 'localhost', 7, []], queue: ['', 'a:b', 7, {}], prefix: text, workerTimeout: time },
  ...{ storeTimeout: time, keepResults: time, maxPayload: count, 'work.executor': ['threads', {}] },
  ...{ 'work.size': count, lockDuration: [10, '5', 1.5e3 + 0.5] },
  ...{ transfer: [{}, new ArrayBuffer(8)], onProgress: callback, highWaterMark: count },
  ...{ chunk: count, ordered: flag, compare: [() => 0] },
  ...{ toData: [...callback, () => ({})], fromData: callback, 'registerClass.name': text },
  ...{ profile: [7, {}], task: text, fallback: ['thread', 7] },
  ...{
    executors: ['threads', ['thread'], [], ['threads', 7]],
    'measure.connection': ['localhost', 7, 'redis://localhost'], // none of these is of use without bullmq
    sizes: [2, [], [0]],
    args: [{}, [1], []],
    uv: [4, [0]],
  },
  ...{
    'measure.concurrency': [2, [], [0]],
    cpus: [2, [], [0], ['1']],
    rounds: count,
    quick: flag,
    precision: [0, 1, '0.1'],
  },
  ...{ worth: [0.5, '2'], goal: ['fast', { responsive: 0 }, {}], seed: [1.5, '1'], command: text },
  ...{
    'measure.budget': [0, '5'],
    'measureServer.budget': [0, '5'],
    path: ['x', 7],
    offloadPath: ['x', '/'],
  },
  ...{ 'measureServer.instances': [2, [], [0]], 'measureServer.args': texts, connections: count },
  ...{ rate: [0, '5', 1e9], poisson: flag, pipelining: [...count, 1e9], duration: [0, '5'], warmup: time },
  ...{
    'load.timeout': [0, '5'],
    'load.connections': [...count, 1e9],
    method: text,
    headers: ['A: b', [], { A: 7 }, { 'A b': 'c' }],
  },
  ...{ body: [7, {}], socket: text, insecure: flag },
  ...{
    instances: [0, 'all', 1e9],
    'serve.args': texts,
    grace: [0, '5', 1e12],
    readyTimeout: [0, '5'],
    waitReady: flag,
  },
  ...{
    'serve.name': ['', 'a b', 7],
    health: ['health', 7],
    hangTimeout: [1, 'x'],
    maxMemory: ['1', 'x', -1],
    maxRequests: count,
  },
  ...{
    'serve.env': ['A=1', [], { A: {} }, ...names],
    cwd: [7, '/no/such/folder'],
    instanceVariable: ['A=B', 7, ''],
    incrementVariable: ['A=B', 7, ''],
  },
  ...{ stopSignal: ['SIGFOO', 15], parallel: count, portless: flag, interpreter: text },
  ...{ restart: ['sometimes', true], stopExitCodes: [[-1], 7, ['0']], restartDelay: time },
  ...{ requests: count, maxRestarts: [-1, 'x'], minUptime: time, listenTimeout: time },
  ...{ sticky: ['adress', 'cookie=', true], reusePort: flag, min: [0, 'x'], max: [0, 'x', 1e9] },
  ...{
    healthInterval: [0, 'x'],
    healthThreshold: count,
    scaleUp: [2, 'x'],
    scaleDown: [2, 'x'],
    scaleQueue: [0, 'x'],
    scaleInterval: [1, 'x'],
    onEvent: callback,
  },
}

/** They have any value. */
const free = ['initial', 'workerData']

for (const way of ways) {
  const { name, call } = way
  describe(name, () => {
    for (const option of optionsOf(way)) {
      if (free.includes(option)) continue
      test(`refuses wrong values of ${option}`, async () => {
        const values = wrong[`${name}.${option}`] ?? wrong[option]
        assert.ok(values?.length > 0, `${option} has no line in the table of wrong values`)
        for (const value of [...values, null, NaN]) {
          const error = await errorOf(() => call({ [option]: value }))
          const shown = `${option}: ${JSON.stringify(value) ?? String(value)} gave ${error?.message}`
          assert.equal(error?.code, 'TW_ERR_INVALID_OPTION', shown)
          assert.ok(error.message.startsWith(option), shown)
          assert.match(error.message, / must be .+, got .+\.$/s, shown)
        }
      })
    }
  })
}

/** These add an address to what they are given. */
const withAddress = ['bullmq', 'queueStatus', 'work', 'executor']

describe('in place of the options', () => {
  const signal = AbortSignal.timeout(1)
  for (const { name, call } of ways.filter((way) => !withAddress.includes(way.name)))
    test(`${name} takes no list, map, signal or promise`, async () => {
      for (const value of [
        [],
        [1],
        new Map([['size', 2]]),
        signal,
        Promise.resolve({}),
        new Date(),
        null,
        5,
      ]) {
        const error = await errorOf(() => call(value))
        assert.equal(error?.code, 'TW_ERR_INVALID_OPTION', String(value))
        assert.match(error.message, /^(options|the .*) must be an object, got /)
      }
    })

  test('what holds options may be of any class, realm or module', async () => {
    class Options {
      timeout = 1000
    }
    const values = [new Options(), Object.create(null), runInNewContext('({ timeout: 1000 })'), await import('data:text/javascript,export const timeout = 1000')] // prettier-ignore
    for (const value of values) assert.equal(await executor.run('echo', [1], value), 1)
  })
})

const own = new Map(ways.filter(({ name }) => factories.includes(name)).map((way) => [way.name, optionsOf(way)])) // prettier-ignore

describe('an option of another executor', () => {
  for (const kind of factories) {
    const foreign = [...new Set([...own.values()].flat())].filter((option) => !own.get(kind).includes(option))
    for (const option of foreign)
      test(`is refused by ${kind}: ${option}`, async () => {
        const error = await errorOf(() => create[kind](module, { [option]: 1 }))
        const others = [...own.keys()].filter((other) => own.get(other).includes(option))
        const [, told] = new RegExp(`^${option} must be left out: ${kind} has no such option \\(it is one of (.*)\\), got 1\\.$`).exec(error?.message) ?? [] // prettier-ignore
        assert.deepEqual(told?.split(', ').sort(), others.sort())
      })
  }
})

describe('an option without effect', () => {
  const cases = [
    ['threads', { whenFull: 'wait' }, /^whenFull must be used together with maxQueue/],
    ['inline', { whenFull: 'reject' }, /^whenFull must be used together with maxQueue/],
    ['processes', { size: 1, budget: 2 }, /^budget must be left out beside size/],
    [
      'processes',
      { resourceLimits: { codeRangeSizeMb: 9 } },
      /^resourceLimits.codeRangeSizeMb must be left out/,
    ],
  ]
  for (const [kind, options, pattern] of cases)
    test(`is refused by ${kind}: ${Object.keys(options).at(-1)}`, async () => {
      const { code, message } = (await errorOf(() => threadwise[kind](module, options))) ?? {}
      assert.equal(code, 'TW_ERR_INVALID_OPTION')
      assert.match(message, pattern)
    })
})

describe('the message about a value', () => {
  const messageOf = async (call) => (await errorOf(call))?.message

  for (const [option, value, meant] of [
    ['whenFull', 'rejct', 'reject'],
    ['balance', 'least-bussy', 'least-busy'],
    ['output', 'labeled', 'labelled'],
    ['transport', 'mesage', 'message'],
  ])
    test(`tells the word that was meant (${option})`, async () => {
      const options = { [option]: value, ...(option === 'whenFull' && { maxQueue: 1 }) }
      assert.ok(
        (await messageOf(() => threadwise.threads(module, options))).includes(`(did you mean ${meant}?)`),
      )
    })

  test('tells the task that was meant', async () => {
    assert.match(await messageOf(() => executor.run('ecoh')), /no function named "ecoh" \(did you mean echo\?\)\. It exports: echo\./) // prettier-ignore
  })

  test('tells what to do with a controller in place of its signal, and with a function in place of a name', async () => {
    assert.match(await messageOf(() => executor.run('echo', [], { signal: new AbortController() })), /controller\.signal/) // prettier-ignore
    assert.match(await messageOf(() => executor.run(() => 1)), /export the function from the task module/)
  })

  test('tells a CPU budget that is none', async () => {
    assert.match(await messageOf(() => threadwise.wholeCpus(undefined)), /a number of CPUs, got undefined/)
    assert.match(await messageOf(() => threadwise.cpuBudget({ rot: '/' })), /did you mean root\?/)
  })
})

for (const way of ways) {
  const { name, call } = way
  describe(`names of options: ${name}`, () => {
    test('refuses an option that it does not know', async () => {
      const error = await errorOf(() => call({ misspelled: 7 }))
      assert.equal(error?.code, 'TW_ERR_INVALID_OPTION')
      assert.match(
        error.message,
        /^misspelled must be left out: there is no such option \(there are \w.*\), got 7\.$/,
      )
    })

    test('knows all options that its types have, and names no other', async () => {
      const { message } = await errorOf(() => call({ misspelled: 7 }))
      const listed = /\(there are (.*)\)/.exec(message)[1].split(', ')
      assert.deepEqual(listed.sort(), optionsOf(way).sort())
    })
  })
}

test('an option that is undefined is as if it were not there', async () => {
  await threadwise.threads(module, { size: 1, misspelled: undefined }).close()
  assert.equal(await executor.run('echo', [5], { timeout: 1000, highWaterMark: undefined }), 5)
})

test('the steps of mapReduce have names, too', async () => {
  const steps = { map: 'echo', reduce: 'echo', inputs: [1], intial: 0 }
  const error = await errorOf(() => mapReduce(executor, steps))
  assert.match(error.message, /^intial must be left out.*did you mean initial\?/)
})

describe('the message about a name', () => {
  const messageOf = (options) => {
    try {
      threadwise.threads(module, options)
    } catch (error) {
      return error.message
    }
  }

  test('names the option that was meant, where few letters are wrong', () => {
    const near = { sise: 'size', clostTimeout: 'closeTimeout', maxqueue: 'maxQueue', enviroment: undefined, retries: undefined } // prettier-ignore
    for (const [wrong, right] of Object.entries(near)) {
      const expected = right ? `did you mean ${right}?` : 'there are name, '
      assert.ok(messageOf({ [wrong]: 1 }).includes(expected), messageOf({ [wrong]: 1 }))
    }
  })

  test('covers options within options', () => {
    const start = (text) => `${text} must be left out: there is no such option`
    assert.ok(messageOf({ size: { max: 2, mim: 1 } }).startsWith(start('size.mim')))
    assert.match(messageOf({ size: { max: 2, mim: 1 } }), /did you mean size\.min\?/)
    assert.ok(messageOf({ recycle: { maxTask: 1 } }).startsWith(start('recycle.maxTask')))
    assert.ok(messageOf({ onWorkerExit: { retries: 1, backof: 1 } }).startsWith(start('onWorkerExit.backof')))
  })
})
