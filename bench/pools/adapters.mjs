// One pool each: how to create it, call a function by its name, and close it. The packages are loaded only when asked for.
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

const file = (name) => new URL(name, import.meta.url)
const path = (name) => fileURLToPath(file(name))

export const adapters = {
  threadwise: (size) => threadwise({ size }),
  'by message': (size) => threadwise({ size, transport: 'message' }),
  raw: async (size) => rawWorkers(size),
  async piscina(size) {
    const { default: Piscina } = await import('piscina')
    const pool = new Piscina({ filename: path('tasks.mjs'), minThreads: size, maxThreads: size })
    const options = { noop: { name: 'noop' }, echo: { name: 'echo' }, burn: { name: 'burn' } }
    return { call: (name, arg) => pool.run(arg, options[name]), close: () => pool.destroy() }
  },
  async tinypool(size) {
    const { Tinypool } = await import('tinypool')
    const pool = new Tinypool({ filename: file('tasks.mjs').href, minThreads: size, maxThreads: size })
    return { call: (name, arg) => pool.run(arg, { name }), close: () => pool.destroy() }
  },
  async poolifier(size) {
    const { FixedThreadPool } = await import('poolifier')
    const pool = new FixedThreadPool(size, path('tasks-poolifier.mjs'))
    return { call: (name, arg) => pool.execute(arg, name), close: () => pool.destroy() }
  },
  async workerpool(size) {
    const { default: workerpool } = await import('workerpool')
    const options = { minWorkers: size, maxWorkers: size, workerType: 'thread' }
    const pool = workerpool.pool(path('tasks-workerpool.mjs'), options)
    return { call: (name, arg) => pool.exec(name, [arg]), close: () => pool.terminate(true) }
  },
}

async function threadwise(options) {
  const { threads } = await import('../../dist/index.js') // a package of its own does not know 'threadwise'
  const pool = threads(file('tasks.mjs'), options)
  await pool.ready
  return {
    call: (name, arg) => pool.tasks[name](arg),
    map: (name, inputs) => pool.map(name, inputs),
    close: () => pool.close(),
  }
}

/** One message for each call, to one worker after the other. */
function rawWorkers(size) {
  const open = new Map()
  const workers = Array.from({ length: size }, () => {
    const worker = new Worker(file('tasks-raw.mjs'))
    worker.on('message', ({ id, result }) => {
      open.get(id)(result)
      open.delete(id)
    })
    return worker
  })
  let nextId = 0
  const call = (name, arg) =>
    new Promise((resolve) => {
      const id = nextId++
      open.set(id, resolve)
      workers[id % size].postMessage({ id, name, arg })
    })
  return { call, close: () => Promise.all(workers.map((worker) => worker.terminate())) }
}
