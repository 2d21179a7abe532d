import { createServer } from 'node:http'
import { connect, createServer as createLines } from 'node:net'
import { spin } from '../spin.cjs'

function refreshed(rows) {
  return { rows, sum: spin(rows) }
}

function handled(job) {
  return { id: job.id, sum: spin(job.id) }
}

function lineOf(text) {
  return `${text.trim().toUpperCase()} ${spin(text.length)}\n`
}

const state = { refreshed: 0, jobs: [], lines: 0 }
setInterval(async () => {
  state.refreshed = (await refreshed(5)).rows
}, 70).unref()

let id = 0
setInterval(() => state.jobs.push({ id: id++ % 9 }), 50).unref()
async function work() {
  const job = state.jobs.shift()
  if (job) await handled(job)
  setTimeout(work, 20).unref()
}
void work()

const lines = createLines((socket) =>
  socket.on('data', async (data) => socket.write(await lineOf(String(data)))),
)
lines.listen(0, '127.0.0.1', () => {
  const client = connect(lines.address().port, '127.0.0.1')
  client.on('data', () => state.lines++)
  setInterval(() => client.write(`line ${state.lines % 7}\n`), 60).unref()
})

createServer((request, response) => response.end(state.refreshed >= 0 ? 'up' : '')).listen(process.env.PORT)
