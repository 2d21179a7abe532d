// Who takes something of the request that is being answered.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { watchContextUse } from '../../../../../build/measure/doctor/agent/context-use.js'

const URL = '/app/one-line.js'
/** As a compiler writes it: all in one line. */
const TEXT = '(storage) => ({ taking: () => storage.getStore(), leaving: (look) => look() })'

/** What was noticed while `run` runs, by the names of the functions. */
function usersIn(run) {
  const storage = new AsyncLocalStorage()
  const made = new Script(TEXT, { filename: URL }).runInThisContext()(storage)
  const functions = Object.entries(made).map(([name, each]) => {
    const start = TEXT.indexOf(String(each))
    const place = (column) => ({ line: 0, column })
    return { name, url: URL, start: place(start), end: place(start + String(each).length) }
  })
  const found = []
  const watch = watchContextUse(functions, (index) => found.push(functions[index].name))
  try {
    storage.run('request', () => run({ ...made, storage, watch }))
  } finally {
    watch.end()
  }
  return found
}

test('is noticed, and by the column where all is one line', () => {
  assert.deepEqual(usersIn(({ taking }) => taking()), ['taking']) // prettier-ignore
  assert.deepEqual(usersIn(({ leaving, storage }) => leaving(() => storage.getStore())), ['leaving']) // prettier-ignore
})

test('is not what a look at the call does', () => {
  assert.deepEqual(usersIn(({ leaving, storage, watch }) => leaving(() => watch.unseen(() => storage.getStore()))), []) // prettier-ignore
})

test('is nothing where there is no store', () => {
  assert.deepEqual(
    usersIn(({ taking, storage }) => storage.exit(taking)),
    [],
  )
})
