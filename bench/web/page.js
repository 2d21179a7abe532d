// The libraries, each with two workers, and what measures one of them for a while.
import { transfer as moving, wrap } from 'comlink'
import { web } from '../../dist/web.js'
import workerpool from 'workerpool'
import * as inPage from './tasks.js'

const SIZE = 2
const start = (name) => new Worker(new URL(`./${name}.worker.js`, import.meta.url), { type: 'module' })
/** One after the other, in turn. */
const inTurn = (list) => {
  let next = 0
  return () => list[next++ % list.length]
}
const workers = (name) => Array.from({ length: SIZE }, () => start(name))

const libraries = {
  threadwise() {
    const { run, tasks } = web(() => start('threadwise'), { size: SIZE })
    return (name, args, transfer) => (transfer ? run(name, args, { transfer }) : tasks[name](...args))
  },
  comlink() {
    const next = inTurn(workers('comlink').map((worker) => wrap(worker)))
    const marked = (args, transfer) => args.map((arg) => (transfer.includes(arg) ? moving(arg, [arg]) : arg))
    return (name, args, transfer) => next()[name](...(transfer ? marked(args, transfer) : args))
  },
  workerpool() {
    const url = String(new URL('./workerpool.worker.js', import.meta.url))
    const pool = workerpool.pool(url, { maxWorkers: SIZE, minWorkers: 'max', workerOpts: { type: 'module' } })
    return (name, args, transfer) => pool.exec(name, args, { transfer })
  },
  raw() {
    const open = new Map()
    const own = workers('raw')
    for (const worker of own)
      worker.addEventListener('message', ({ data: { id, result } }) => {
        open.get(id)(result)
        open.delete(id)
      })
    const next = inTurn(own)
    let id = 0
    return (name, args, transfer) =>
      new Promise((resolve) => {
        open.set(++id, resolve)
        next().postMessage({ id, name, args }, transfer ?? [])
      })
  },
}

const calls = Object.fromEntries(Object.entries(libraries).map(([name, create]) => [name, create()]))

/** Calls a second, with so many open at a time. */
async function measure(library, { task, args, open, ms }) {
  const call = calls[library]
  let count = 0
  const since = performance.now()
  const until = since + ms
  const caller = async () => {
    while (performance.now() < until) {
      await call(task, args)
      count++
    }
  }
  await Promise.all(Array.from({ length: open }, caller))
  return (1000 * count) / (performance.now() - since)
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Large values, by what becomes of them: the name of a task, its arguments, and what of them is moved. */
const large = {
  'rows there': ({ count }) => ['sizeOf', [inPage.rows(count)]],
  'rows back': ({ count }) => ['rows', [count]],
  'text there': ({ count }) => ['sizeOf', ['row 1, '.repeat(count / 7)]],
  'text there and back': ({ count }) => ['echo', ['row 1, '.repeat(count / 7)]],
  'picture there': async ({ count }) => ['sizeOf', [await createImageBitmap(new ImageData(count, count))]],
  'bytes moved there': ({ count }) => {
    const bytes = new ArrayBuffer(count)
    return ['sizeOf', [bytes], [bytes]]
  },
}

/** One call: the milliseconds that it took, and the longest time in which the page's thread did nothing else. */
async function time(library, one) {
  const [task, args, transfer] = await large[one.what](one)
  const { port1, port2 } = new MessageChannel()
  let last
  let longest = 0
  port1.onmessage = () => {
    const now = performance.now()
    longest = Math.max(longest, now - (last ?? now))
    last = now
    port2.postMessage(0)
  }
  port2.postMessage(0)
  await sleep(20)
  const since = performance.now()
  await calls[library](task, args, transfer)
  const took = performance.now() - since
  await sleep(20)
  port1.close()
  return { took, longest }
}

globalThis.bench = { names: Object.keys(calls), measure, time }
