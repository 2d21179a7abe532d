// The caller's side: threadwise, and BullMQ as its documentation awaits results. Both give { run, close }.
import { Queue, QueueEvents } from 'bullmq'
import { Redis } from 'ioredis'
import { bullmq } from 'threadwise/bullmq'

export function threadwiseCaller(url, queue, options = {}) {
  const pool = bullmq(new URL('./tasks.mjs', import.meta.url), { connection: url, queue, ...options })
  return { run: (task, args) => pool.run(task, args), close: () => pool.close() }
}

export async function bareCaller(url, name) {
  const connect = () => new Redis(url, { maxRetriesPerRequest: null })
  const clients = [connect(), connect()]
  const queue = new Queue(name, { connection: clients[0] })
  const events = new QueueEvents(name, { connection: clients[1] })
  events.setMaxListeners(0)
  await events.waitUntilReady()
  const options = { removeOnComplete: { age: 600 }, removeOnFail: { age: 600 } } // as threadwise keeps them
  return {
    run: async (task, args) => (await queue.add(task, args, options)).waitUntilFinished(events),
    async close() {
      await events.close()
      await queue.close()
      for (const client of clients) client.disconnect()
    },
  }
}
