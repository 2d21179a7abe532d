// Options are checked when the executor is made or the call is placed; the error names the option and what it wants.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { concurrent, inline, processes, threads } from 'threadwise'

const module = `data:text/javascript,${encodeURIComponent('export const echo = (value) => value')}`
const executors = { inline, concurrent, threads, processes }
const pools = { threads, processes }
const locals = { inline, concurrent }

const notMilliseconds = [-1, NaN, '5', null, {}]
const notCounts = [0, -1, 1.5, NaN, Infinity, '2', null]

/** option -> which executors have it, what it refuses, and what the error says that it wants. */
const table = {
  name: { in: executors, refuses: ['', 5, null], wants: /^name must be a non-empty string, got / },
  closeTimeout: {
    in: executors,
    refuses: notMilliseconds,
    wants: /^closeTimeout must be a number of milliseconds/,
  },
  startTimeout: {
    in: executors,
    refuses: notMilliseconds,
    wants: /^startTimeout must be a number of milliseconds/,
  },
  concurrency: {
    in: { concurrent },
    refuses: notCounts,
    wants: /^concurrency must be a whole number of at least 1/,
  },
  size: { in: pools, refuses: notCounts, wants: /^size must be a whole number of at least 1/ },
  tasksPerWorker: {
    in: pools,
    refuses: notCounts,
    wants: /^tasksPerWorker must be a whole number of at least 1/,
  },
  execArgv: { in: pools, refuses: ['--x', 5, {}], wants: /^execArgv must be a list of strings/ },
}

const invalid = (message) => ({ name: 'ThreadwiseError', code: 'TW_ERR_INVALID_OPTION', message })

for (const [option, { in: kinds, refuses, wants }] of Object.entries(table)) {
  describe(`the option ${option}`, () => {
    for (const [kind, make] of Object.entries(kinds)) {
      for (const value of refuses) {
        const shown = typeof value === 'string' ? `'${value}'` : String(value)
        test(`of ${kind} cannot be ${shown}`, () => {
          assert.throws(() => make(module, { [option]: value }), invalid(wants))
        })
      }
    }
  })
}

describe('all executors', () => {
  for (const [kind, make] of Object.entries(executors)) {
    test(`${kind} refuses a module that is no absolute URL, and shows the right form`, () => {
      for (const bad of ['./tasks.js', 'tasks', '', undefined, null, 5, {}, 'node:fs', 'C:\\tasks.js']) {
        assert.throws(
          () => make(bad),
          invalid(
            /^module must be a URL such as new URL\('\.\/tasks\.js', import\.meta\.url\), or an absolute path such as .*, got /,
          ),
        )
      }
    })

    for (const bad of [null, 5, 'fast']) {
      test(`${kind} refuses the options ${bad}, which are no object`, () => {
        assert.throws(() => make(module, bad), invalid(/^options must be an object/))
      })
    }
  }

  for (const [kind, make] of Object.entries(locals)) {
    test(`${kind} takes a URL or its text, and times of any length`, async () => {
      for (const url of [module, new URL(module)]) {
        const executor = make(url, { closeTimeout: Infinity, startTimeout: Infinity, name: 'n' })
        assert.equal(await executor.run('echo', [1]), 1)
        await executor.close()
      }
    })
  }
})

describe('a call', () => {
  const executor = inline(module)
  const refused = async (promise, code, message) => {
    assert.ok(promise instanceof Promise) // never a synchronous throw
    await assert.rejects(promise, { code, message })
  }

  test('needs the name of a task', async () => {
    for (const name of [undefined, null, 5, Symbol('x'), () => {}]) {
      await refused(
        executor.run(name),
        'TW_ERR_INVALID_CALL',
        /^run\(\) needs the name of a task( \(export the function .*\))?, got /,
      )
    }
  })

  test('needs its arguments in a list', async () => {
    for (const args of [5, 'text', { 0: 'a' }, null]) {
      await refused(
        executor.run('echo', args),
        'TW_ERR_INVALID_CALL',
        /^run\("echo"\) needs a list of arguments/,
      )
    }
  })

  const callOptions = {
    signal: { refuses: [5, null, {}, new AbortController()], wants: /^signal must be an AbortSignal/ },
    timeout: { refuses: notMilliseconds, wants: /^timeout must be a number of milliseconds/ },
    gracePeriod: { refuses: notMilliseconds, wants: /^gracePeriod must be a number of milliseconds/ },
    transfer: { refuses: [5, {}, 'x', null], wants: /^transfer must be an array/ },
  }
  for (const [option, { refuses, wants }] of Object.entries(callOptions)) {
    test(`checks its ${option}, in run and in map`, async () => {
      for (const value of refuses) {
        const options = { [option]: value }
        await refused(executor.run('echo', [1], options), 'TW_ERR_INVALID_OPTION', wants)
        await refused(executor.map('echo', [1], options), 'TW_ERR_INVALID_OPTION', wants)
      }
    })
  }

  test('checks that its options are an object', async () => {
    for (const options of [null, 5, 'fast']) {
      await refused(executor.run('echo', [], options), 'TW_ERR_INVALID_OPTION', /must be an object/)
    }
  })

  test('may leave every option undefined', async () => {
    const options = { signal: undefined, timeout: undefined, gracePeriod: undefined, transfer: undefined }
    assert.equal(await executor.run('echo', [1], options), 1)
    assert.equal(await executor.run('echo', undefined, undefined), undefined)
  })

  test('map needs something to iterate over; a text is none', async () => {
    for (const inputs of [undefined, null, 5, 'text', {}, () => {}]) {
      await refused(
        executor.map('echo', inputs),
        'TW_ERR_INVALID_CALL',
        /^map\("echo"\) needs an iterable of inputs/,
      )
    }
  })
})

describe('close', () => {
  for (const timeout of [-1, NaN, 'soon']) {
    test(`refuses a timeout of ${timeout}`, async () => {
      await assert.rejects(inline(module).close({ timeout }), invalid(/^timeout must be/))
    })
  }
  test('with a timeout longer than a timer can wait waits for ever', async () => {
    const source = 'export const later = () => new Promise((resolve) => setTimeout(resolve, 20, 1))'
    const executor = inline(`data:text/javascript,${encodeURIComponent(source)}`)
    await executor.ready
    const [result] = await Promise.all([executor.run('later'), executor.close({ timeout: 2 ** 31 })])
    assert.equal(result, 1)
  })
})
