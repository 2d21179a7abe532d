// A primary that reloads again and again while load comes, and says what it holds. Run by bench/serve.mjs.
import { setTimeout as delay } from 'node:timers/promises'
import { serve } from '../../dist/cluster.js'

const [file, reloads, requests] = process.argv.slice(2)
const service = await serve(file, { instances: 2, grace: 2000 })
let answered = 0
/** The load is over. */
const ended = new Promise((resolve) => {
  process.on('message', (message) => (message === 'end' ? resolve() : (answered = message)))
})

for (let reload = 0; reload < Number(reloads) || answered < Number(requests); reload++) {
  if (reload < Number(reloads)) await service.reload()
  else await delay(500)
  if (reload === 20 || reload % 50 === 0) tell(reload)
}
tell(service.status().reloads)
process.send('done')
await ended
await service.stop()
process.disconnect()

function tell(reload) {
  globalThis.gc()
  const { rss, heapUsed } = process.memoryUsage()
  const counts = { reload, handles: process.getActiveResourcesInfo().length }
  process.send({ ...counts, rss, heapUsed, crashes: service.status().crashes })
}
