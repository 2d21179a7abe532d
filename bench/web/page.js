// The libraries, each with two workers, and what measures one of them for a while.
import { wrap } from 'comlink'
import { web } from '../../dist/web.js'
import workerpool from 'workerpool'

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
    const { tasks } = web(() => start('threadwise'), { size: SIZE })
    return (name, ...args) => tasks[name](...args)
  },
  comlink() {
    const next = inTurn(workers('comlink').map((worker) => wrap(worker)))
    return (name, ...args) => next()[name](...args)
  },
  workerpool() {
    const url = String(new URL('./workerpool.worker.js', import.meta.url))
    const pool = workerpool.pool(url, { maxWorkers: SIZE, minWorkers: 'max', workerOpts: { type: 'module' } })
    return (name, ...args) => pool.exec(name, args)
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
    return (name, ...args) =>
      new Promise((resolve) => {
        open.set(++id, resolve)
        next().postMessage({ id, name, args })
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
      await call(task, ...args)
      count++
    }
  }
  await Promise.all(Array.from({ length: open }, caller))
  return (1000 * count) / (performance.now() - since)
}

globalThis.bench = { names: Object.keys(calls), measure }
