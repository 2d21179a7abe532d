// A worker thread without a pool.
import { parentPort } from 'node:worker_threads'
import * as tasks from './tasks.mjs'

parentPort.on('message', ({ id, name, arg }) => parentPort.postMessage({ id, result: tasks[name](arg) }))
