// Reading streams in tests, and what a stream must leave behind.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileExists } from './files.js'

export async function all(stream) {
  const items = []
  for await (const item of stream) items.push(item)
  return items
}

/** The items until the stream fails, and with what. */
export async function untilFailure(stream) {
  const items = []
  try {
    for await (const item of stream) items.push(item)
  } catch (error) {
    return { items, error }
  }
  throw new Error(`it did not fail after ${items.length} items`)
}

export const end = { done: true, value: undefined }
/** Resolves when the file, in which a generator notes its steps, says so. */
export async function fileSays(path, isReached) {
  await fileExists(path)
  const limit = Date.now() + 20_000
  for (let text = ''; !isReached(text); text = readFileSync(path, 'utf8')) {
    if (Date.now() > limit) throw new Error(`${path} only says ${text}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
/** Nothing is left of it: neither for the counters nor in the workers' places. */
export async function assertIdle(executor) {
  const { queued, running } = executor.stats()
  assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
  assert.deepEqual(await all(executor.stream('add', [20, 22])), [42])
}
