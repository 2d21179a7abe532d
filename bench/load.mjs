// `threadwise load` beside wrk (Debian: apt-get install wrk): closed loop, against a server that takes 1 ms of CPU for each
// request, so that the server is the bottleneck and both must find the same throughput. In turn; the
// ratio is the median of those of the rounds, since the machine may get faster or slower meanwhile.
//
//   node bench/load.mjs [--rounds 10] [--connections 10,64] [--duration 2]
import { spawn, spawnSync } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** A fixed amount of work: about 1 ms at 2.5 GHz. */
const HASHES = 1500

if (process.argv[2] === 'serve') serve()
else await compare()

function serve() {
  const server = createServer((_, response) => {
    pbkdf2Sync('a password', 'salt', HASHES, 32, 'sha256')
    response.end('hello')
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}

async function compare() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '10,64' },
      duration: { type: 'string', default: '2' },
    },
  })
  const server = spawn(process.execPath, [fileURLToPath(import.meta.url), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = `http://127.0.0.1:${String((await once(server.stdout, 'data'))[0]).trim()}/`
    for (const connections of values.connections.split(',')) {
      const found = { threadwise: [], wrk: [] }
      withThreadwise(url, connections, '2') // so that neither meets a cold server
      for (let round = 0; round < Number(values.rounds); round++) {
        const turns = [
          () => found.threadwise.push(withThreadwise(url, connections, values.duration)),
          () => found.wrk.push(withWrk(url, connections, values.duration)),
        ]
        for (const turn of round % 2 === 0 ? turns : turns.reverse()) turn()
      }
      const [own, wrk] = [median(found.threadwise), median(found.wrk)]
      const ratio = median(found.threadwise.map((rate, round) => rate / found.wrk[round]))
      const list = (numbers) => numbers.map((number) => Math.round(number)).join(' ')
      console.log(`${connections} connections: threadwise ${Math.round(own)}/s (${list(found.threadwise)}), wrk ${Math.round(wrk)}/s (${list(found.wrk)}), ratio ${ratio.toFixed(3)}`) // prettier-ignore
    }
  } finally {
    server.kill()
  }
  console.log(`Node ${process.versions.node}, ${os.availableParallelism()} CPUs, ${os.cpus()[0]?.model ?? os.arch()}, ${values.rounds} rounds of ${values.duration} s`) // prettier-ignore
}

function withThreadwise(url, connections, duration) {
  const program = fileURLToPath(new URL('../build/cli/main.js', import.meta.url))
  const args = ['load', url, '--connections', connections, '--duration', duration, '--warmup', '0.5']
  const { stdout } = spawnSync(process.execPath, [program, ...args, '--json', '-'], { encoding: 'utf8' })
  return JSON.parse(stdout).throughput
}

function withWrk(url, connections, duration) {
  const { stdout, error } = spawnSync('wrk', ['-t1', '-c', connections, '-d', `${duration}s`, url], {
    encoding: 'utf8',
  })
  if (error) throw new Error(`wrk is needed: ${error.message}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1])
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}
