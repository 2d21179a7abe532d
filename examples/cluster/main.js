// A search over three worker processes, one of which is killed half-way: the result is that of one process.
//
//   docker run -p 6379:6379 redis:7        or any other Redis
//   node examples/cluster/main.js redis://localhost:6379
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inline } from 'threadwise'
import { bullmq } from 'threadwise/bullmq'
import { mapReduce } from 'threadwise/parallel'

const [connection = 'redis://localhost:6379', documents = '300'] = process.argv.slice(2)
const tasks = new URL('./tasks.js', import.meta.url)
const queue = `search-${process.pid}`
const query = ['alpha', 'golf']
const inputs = Array.from({ length: Number(documents) }, (_, number) => ({ number, query }))

const workers = await Promise.all([startWorker(), startWorker(), startWorker()])
const pool = bullmq(tasks, { connection, queue, onWorkerExit: { retries: 3 } }) // the tasks may run twice
const killed = setTimeout(() => workers[0].kill('SIGKILL'), 300)
const found = rank(await search(pool, 10))
clearTimeout(killed)
const alone = inline(tasks)
const expected = rank(await search(alone))
console.log(found.map(({ number, score }) => `document ${number}: ${score.toFixed(4)}`).join('\n'))
console.log(
  JSON.stringify(found) === JSON.stringify(expected)
    ? 'the same as in one process'
    : 'NOT the same as in one process',
)

for (const worker of workers) worker.kill('SIGTERM')
await Promise.all([pool.close(), alone.close()])

function search(executor, chunk) {
  return mapReduce(executor, { map: 'countIn', reduce: 'join', inputs }, { chunk })
}

/** The best five. */
function rank(counts) {
  const weights = query.map((_, i) =>
    Math.log(1 + counts.length / counts.filter(([, each]) => each[i] > 0).length),
  )
  const scored = counts.map(([number, each]) => ({
    number,
    score: each.reduce((sum, n, i) => sum + n * weights[i], 0),
  }))
  return scored.sort((a, b) => b.score - a.score || a.number - b.number).slice(0, 5)
}

/** Resolves when it takes jobs. */
async function startWorker() {
  const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const args = [
    'worker',
    fileURLToPath(tasks),
    '--queue',
    queue,
    '--connection',
    connection,
    '--size',
    '1',
    '--lock',
    '2000',
  ]
  const worker = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'pipe'] })
  for await (const text of worker.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false }))
    if (text.includes('takes jobs')) return worker
  throw new Error(`a worker ended with exit code ${(await once(worker, 'exit'))[0]}`)
}
