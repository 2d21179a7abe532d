// One worker process: node worker.mjs KIND URL QUEUE PLACES LOCK [AHEAD_MS]: how far its clock is ahead. KIND is threadwise, or what BullMQ's sandbox is made of: process or thread.
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { work } from 'threadwise/bullmq'

const [kind, url, queue, places, lock, ahead = '0'] = process.argv.slice(2)
const { now } = Date
Date.now = () => now() + Number(ahead)

const size = Number(places)
const lockDuration = Number(lock)

if (kind === 'threadwise') {
  await work(new URL('./tasks.mjs', import.meta.url), {
    connection: url,
    queue,
    size,
    lockDuration,
    startTimeout: 300_000,
  }).ready
} else {
  const connection = new Redis(url, { maxRetriesPerRequest: null })
  const sandbox = { useWorkerThreads: kind === 'thread', concurrency: size, lockDuration }
  const worker = new Worker(queue, new URL('./processor.mjs', import.meta.url), { connection, ...sandbox })
  await worker.waitUntilReady()
}
process.send('ready')
process.on('disconnect', () => process.exit(1)) // nobody is left to end it
