// The contract suite in a browser: the files whose tests need no files, and of these the tests that a browser can pass.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { servePages, startChromium, withoutChromium } from '../helpers/browsers.js'
import { buildContract } from '../helpers/contract-page.js'

const FILES = ['errors', 'classes', 'results', 'whole-errors']

/** What a test needs that a page does not have, or says of it otherwise. */
const NOT_HERE = {
  'its file keeps its name': /shows the caller|and then the caller/,
  'node:vm': /of another realm/,
  'errors of the system': /errors of the system|> system >/,
  'a thread of the caller that runs tasks': /that the caller runs itself/,
  'isolation, or files': /a SharedArrayBuffer is shared|a port and an open file/,
  'task modules by their URLs': /can be a task file|a TypeScript file|a CommonJS export/,
  'a DOMException with a cause': /domWithCause/,
}
const reasons = Object.values(NOT_HERE)

describe('the contract suite in a browser', { skip: withoutChromium }, () => {
  let browser, server

  before(async () => {
    server = await servePages([], (folder) => buildContract(FILES, folder))
    browser = await startChromium()
  })

  after(async () => {
    await browser?.close()
    server?.close()
  })

  for (const name of FILES)
    test(name, { timeout: 120_000 }, async () => {
      const page = await browser.newPage()
      await page.goto(`${server.url}?contract-${name}`)
      await page.waitForFunction(() => globalThis.results)
      const results = await page.evaluate(() => globalThis.results())
      assert.ok(results.length > 2, `${results.length} tests`)
      const failed = results.filter(({ error }) => error)
      const isOurs = ({ name }) => !reasons.some((reason) => reason.test(name))
      assert.deepEqual(failed.filter(isOurs), [])
    })
})
