// The contract suite in a browser: the files that a page can run, and of these the tests that it can pass.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inBrowser, servePages } from './browsers.js'
import { buildContract } from './contract-page.js'

const FILES = [
  ...['errors', 'classes', 'results', 'values', 'whole-errors', 'map', 'many-open-calls', 'progress', 'host'],
  ...['parallel', 'stopping', 'full-queue', 'crowded-pools', 'large-pools', 'polluted-options'],
  ...['cancelled-loops', 'fork', 'distribution', 'worker-places', 'stream-ends', 'odd-errors'],
  ...['sort', 'stats', 'context-of-lists', 'callbacks', 'send-now', 'stream', 'moved-values'],
  ...['workers-come-and-go', 'replaced-workers', 'fresh-workers', 'small-pools'],
]

/** In one browser: they take long there, and how the pool counts is the same in each. */
const IN_CHROMIUM = ['limits', 'ended-maps', 'messages', 'answers-beside']

/** What a test needs that a page does not have, or says of it otherwise. */
const NOT_HERE = {
  'its file keeps its name': /shows the caller|and then the caller/,
  'node:vm':
    /of another realm|vm context|this realm and of another|with another prototype|empty objects of any kind/,
  'errors of the system': /errors of the system|> system >/,
  'a thread of the caller that runs tasks':
    /that the caller runs itself|the caller runs|lets the caller run it/,
  files: /a port and an open file|workers that start are kept|is started again, though the others suffice/,
  'task modules by their URLs': /can be a task file|a TypeScript file|a CommonJS export/,
  'a DOMException with a cause': /domWithCause/,
  Buffer:
    /take and give whole values|values > Buffer|a wrong length|slice of a Buffer|values > KeyObject|a key with|stay apart|a Buffer, whose slice|do not lie behind a long one while another worker is free|are what run\(\) would give|> a Buffer >/,
  'unref() of a port': /> a port >/,
  'objects of Node': /values > Histogram|a socket|a timer|an async resource/,
  'Atomics.wait() in a page': /is looked at once/,
  AsyncLocalStorage:
    /in the context of its call|run in the contexts of the caller|is not held back by the calls that wait for it/,
  'the option isolate': /isolate: true|"isolate":true/,
  'the options env and resourceLimits':
    /takes over all the same from one that has run|goes to the one that stays|a range of sizes > is checked/,
  'what workers use of memory': /a worker whose memory grows/,
  'the CPUs of a container': /cpuBudget\(\)|a budget of more CPUs/,
  'node:diagnostics_channel':
    /tells subscribers|events name them|channels? tells? of|of inputs that map sends as one/,
  'threads()': /^ > \d workers|a worker that dies rejects, and a plain array/,
  'prometheusText()': /in the text for Prometheus/,
  'numbers of threads': /stats\(\) lists the workers/,
  'process.exit()':
    /when a worker dies|worker that replaces a dead one|when the cause is gone|only its call is lost|leaves its place to/,
  'warnings of a process': /errors of workers|warnAfter/,
  'calls that overlap in one worker unless that is asked for':
    /keeps to tasksPerWorker|an abort of the call aborts its forks|leaves alone a call that keeps the worker busy|of two streams in one worker|never runs more than \d+ ahead|finish in the old worker|while it waits for a worker of its own/,
}

/** The same of one browser. */
const NOT_IN = {
  chromium: {},
  firefox: {
    'frames of who awaits': /the error whole, then the end/,
    'the stack of an error without a prototype': /withoutPrototype > thrown and rejected/,
  },
  webkit: {
    'frames of who awaits': /the error whole, then the end/,
    'arrow functions in a stack, and that of a DOMException':
      /what a task throws is an instance|domException > thrown and rejected/,
    SharedArrayBuffer:
      /a SharedArrayBuffer is shared|SharedArrayBuffer stays|on shared memory too|that nobody waits for runs|sort > every/,
    'requests of a worker while its page computes': /that is sent now > (runs while|takes those)/,
    'web streams that a message can carry': /moved values > a stream >/,
    'holes that structured clone does not walk over': /\(sparse\)|of holes|4e9 holes/,
    'a Date that stays one where it occurs twice': /a date that errors share/,
  },
}

// Two pages at a time, since each waits for its workers and for files most of its time.
export const contractIn = (browserName) =>
  inBrowser(browserName, 'the contract suite', { concurrency: 2 }, (start) => {
    const files = browserName === 'chromium' ? [...IN_CHROMIUM, ...FILES] : FILES
    const reasons = Object.values({ ...NOT_HERE, ...NOT_IN[browserName] }).map(({ source }) => source)
    let browser, server

    before(async () => {
      server = await servePages([], (folder) => buildContract(files, folder))
      browser = await start()
    })

    after(async () => {
      await browser?.close()
      server?.close()
    })

    for (const name of files)
      test(name, { timeout: 240_000 }, async () => {
        const page = await browser.newPage()
        await page.goto(`${server.url}isolated/?contract-${name}`) // so that there is shared memory
        await page.waitForFunction(() => globalThis.results)
        const results = await page.evaluate((skipped) => globalThis.results(skipped), reasons)
        await page.close()
        assert.ok(results.length > 0)
        assert.deepEqual(results.filter(({ error }) => error), []) // prettier-ignore
      })
  })
