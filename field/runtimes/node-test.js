// Stands for node:test in runtimes that have no such runner outside of their own: runs the cases of one file, one after the other, and
// writes what came of each to a file, a line of JSON at a time, so that a case that hangs or ends the process is known too.
//
// THREADWISE_CASES: that file. Cases in it already are not run again.
import { appendFileSync, readFileSync } from 'node:fs'
import { inspect } from 'node:util'

const CASE_MS = 20_000
const file = process.env.THREADWISE_CASES
const write = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`)
const known = new Set(
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).name),
)
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Of what is being described: its name, its cases, and what is to be done after them. */
const suite = (name, parent) => ({ name, parent, items: [], after: [], before: [], beforeEach: [], afterEach: [] }) // prettier-ignore
const root = suite('', undefined)
let current = root
let running

export function describe(name, ...rest) {
  const { options, run } = parse(rest)
  if (options.skip) return
  const own = suite(name, current)
  current.items.push(own)
  current = own
  run()
  current = own.parent
}
export function test(name, ...rest) {
  current.items.push({ title: name, ...parse(rest) })
}
export const it = test
for (const how of ['skip', 'todo']) describe[how] = test[how] = () => {}
export const before = (run) => void current.before.push(run)
export const after = (run) => void current.after.push(run)
export const beforeEach = (run) => void current.beforeEach.push(run)
export const afterEach = (run) => void current.afterEach.push(run)
export default test

function parse(rest) {
  const run = rest.find((each) => typeof each === 'function') ?? (() => {})
  return { run, options: rest.find((each) => typeof each === 'object') ?? {} }
}

/** What a test may replace, for as long as it runs. */
function createMock() {
  const undo = []
  const restore = () => undo.splice(0).reverse().forEach((each) => each()) // prettier-ignore
  return {
    method(object, name, replacement = object[name]) {
      const own = Object.getOwnPropertyDescriptor(object, name)
      const calls = []
      const mocked = function (...args) {
        calls.push({ arguments: args })
        return replacement.apply(this, args)
      }
      mocked.mock = { calls, callCount: () => calls.length, restore }
      Object.defineProperty(object, name, { value: mocked, configurable: true, writable: true })
      undo.push(() => (own ? Object.defineProperty(object, name, own) : delete object[name]))
      return mocked
    },
    timers: {
      enable({ apis = ['setTimeout', 'setInterval', 'setImmediate'] } = {}) {
        for (const name of apis) {
          const own = globalThis[name]
          globalThis[name] = () => ({ ref() {}, unref() {} })
          undo.push(() => (globalThis[name] = own))
        }
      },
      tick() {},
      reset: restore,
    },
    restoreAll: restore,
  }
}
export const mock = createMock()

/** Outside of a case it is the file that fails: by its import. */
function fail(reason) {
  if (running) return running.reject(reason)
  console.error(reason)
  process.exit(1)
}
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

async function runCase({ title, run, options }, own) {
  const name = [...pathOf(own), title].join(' > ')
  if (known.has(name) || options.skip) return
  write({ name, state: 'started' })
  const later = []
  const mocks = createMock()
  const t = { name: title, mock: mocks, after: (each) => void later.unshift(each), diagnostic() {}, skip() {}, todo() {}, signal: new AbortController().signal } // prettier-ignore
  let timer
  try {
    await new Promise((resolve, reject) => {
      running = { reject }
      const ms = Math.min(options.timeout ?? CASE_MS, CASE_MS)
      timer = startTimer(() => reject(new Error(`it did not end within ${ms} ms`)), ms)
      const each = async () => {
        for (const hook of hooksOf(own, 'beforeEach')) await hook(t)
        await run(t)
      }
      each().then(resolve, reject)
    })
    write({ name, state: 'passed' })
  } catch (error) {
    write({ name, state: 'failed', reason: inspect(error).slice(0, 4000) })
  }
  running = undefined
  stopTimer(timer)
  mocks.restoreAll()
  for (const hook of [...later, ...hooksOf(own, 'afterEach')]) await settled(hook)
}

async function runSuite(own) {
  for (const hook of own.before) await settled(hook)
  for (const item of own.items) await (item.items ? runSuite(item) : runCase(item, own))
  for (const hook of own.after) await settled(hook)
}

/** At most some seconds: what is left of a case that hung may hang too. */
async function settled(hook) {
  let timer
  const late = new Promise((resolve) => (timer = startTimer(resolve, 5000)))
  await Promise.race([Promise.resolve().then(hook).catch(() => {}), late]) // prettier-ignore
  stopTimer(timer)
}

function pathOf(own) {
  return own.parent ? [...pathOf(own.parent), own.name] : []
}

function hooksOf(own, kind) {
  return own ? [...hooksOf(own.parent, kind), ...own[kind]] : []
}

/** To be called once the file has described all. */
export async function start() {
  await runSuite(root)
  write({ name: 'all', state: 'ended' })
  process.exit(0)
}
