// A misspelled option would silently mean its default: every way in refuses names that it does not know. What it knows is
// compared with its types, read by the compiler.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as threadwise from 'threadwise'
import { mapReduce } from 'threadwise/parallel'
import { errorOf, executor, module, optionsOf, ways } from '../../helpers/option-ways.js'

for (const way of ways) {
  const { name, call } = way
  describe(name, () => {
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

describe('the message', () => {
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
