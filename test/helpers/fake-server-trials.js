// Servers with exact figures: they answer as real ones would, from a model of the server and seeded noise.
import { fileURLToPath } from 'node:url'
import { ThreadwiseError } from '../../build/errors/errors.js'
import { measureServerIn } from '../../build/measure/server/measure-server.js'
import { createRandom } from '../../build/measure/stats/random.js'
import { fakeMachine } from './fake-trials.js'

const file = fileURLToPath(new URL('../fixtures/servers/measured/computing.js', import.meta.url))

const plainServer = {
  /** CPU of one request, and time that it waits, in ms; work that the path /offload gives to threads. */
  cpuMs: 5,
  waitMs: 0,
  /** Share of its throughput that a cluster loses to its primary. */
  price: 0.03,
  noise: 0.01,
  seed: 1,
  generatorCpu: 0.05,
  limitedBecause: () => null,
  /** Row -> reason why it does not start. */
  failureOf: () => null,
  /** Whether the platform tells CPU times. */
  knowsCpus: true,
  /** Threads of each process compute on any path. */
  isOnThreads: false,
  errorRate: () => 0,
  /** Whether the load of this number sees neither an answer nor a failure. */
  isEmpty: () => false,
  /** Larger limits are unavailable. */
  cpus: 64,
  /** Told of each load: its kind and its number. */
  onAsk: () => {},
}

const nothing = { throughput: 0, answerMs: null, cpuMs: null, errorRate: 1, firstError: null, isEmpty: true }
const enforcement = { method: 'cgroup-v2', exact: true, note: 'a quota' }

/**
 * What measureServer() takes from outside: servers that answer at once from the model, and a clock that they move on. `asked`: all
 * loads, each with its row; `stillOpen`: how many servers live.
 */
export function fakeServerSurroundings(changes = {}, noise = {}) {
  const server = { ...plainServer, ...changes }
  const random = createRandom(server.seed)
  const asked = []
  const clock = { ms: 1000 }
  let open = 0
  const startTrial = async ({ row, env, args }) => {
    if (row.cpus > server.cpus)
      throw new ThreadwiseError('TW_ERR_LIMIT_UNAVAILABLE', { cpus: row.cpus, reason: 'too many' })
    clock.ms += 200 + server.cpuMs + server.waitMs
    const failed = server.failureOf(row)
    if (failed !== null) return { failed }
    open++
    const ask = (kind, ms, more) => {
      clock.ms += ms
      asked.push({ kind, row, env, args, ...more })
      server.onAsk(kind, asked.length)
    }
    return {
      ...{ enforcement, startMs: 200, answerBytes: 1000, firstAnswerMs: server.cpuMs + server.waitMs },
      async saturate(plan) {
        ask('saturation', (plan.leadMs + plan.countMs) / (plan.leadMs > 0 ? 1 : 8), plan)
        if (server.isEmpty(asked.length)) return { ...saturationOf(row, plan, server, random), ...nothing }
        return saturationOf(row, plan, server, random)
      },
      async latencyAt(rate, ms) {
        ask('latency', ms + 100, rate)
        return latencyOf(row, rate, server, random)
      },
      liftLimit() {},
      restoreLimit() {},
      stop: async () => void open--,
    }
  }
  const surroundings = {
    startTrial,
    now: () => clock.ms,
    machineCpu: () => null,
    startMachineCheck: fakeMachine(noise),
    available: () => 8,
  }
  return { surroundings, asked, clock, stillOpen: () => open }
}

function mostOf(row, { cpuMs, price, isOnThreads }) {
  const parallel = row.path === '/offload' || isOnThreads ? row.cpus : Math.min(row.cpus, row.instances)
  const excess = row.instances > Math.ceil(row.cpus) ? 0.9 : 1
  return (parallel * 1000 * excess * (row.way === 'cluster' ? 1 - price : 1)) / Math.max(cpuMs, 0.001)
}

function saturationOf(row, { connections }, server, random) {
  const { cpuMs, waitMs, noise, generatorCpu } = server
  const most = mostOf(row, server)
  const throughput = Math.min(most, (connections * 1000) / (cpuMs + waitMs)) * (1 + noise * (random() - 0.5))
  const { knowsCpus } = server
  const errorRate = server.errorRate(row)
  const firstError = errorRate > 0 ? 'status 500' : null
  return {
    ...{ throughput, errorRate, firstError, timeouts: 0, isEmpty: false },
    ...{ answerMs: (1000 * connections) / throughput, cpuMs: knowsCpus ? cpuMs : null },
    ...{ generatorCpu, limitedBecause: server.limitedBecause(row) },
    serverCpus: knowsCpus ? (throughput * cpuMs) / 1000 : null,
  }
}

function latencyOf(row, rateOf, server, random) {
  const { cpuMs, waitMs, noise } = server
  const jitter = () => 1 + noise * (random() - 0.5)
  const load = Math.min(0.99, rateOf.rate / mostOf(row, server))
  const p50 = (cpuMs + waitMs) * jitter()
  const p99 = (waitMs + cpuMs / (1 - load)) * jitter()
  return { ...rateOf, p50, p99, errorRate: 0, timeouts: 0, limitedBecause: null }
}

/** What measureServer() says of such a server; `named` gives a cell by its name. */
export async function measured(server = {}, options = {}, machine = {}) {
  const { surroundings, ...fake } = fakeServerSurroundings(server, machine)
  const result = await measureServerIn(surroundings, file, { seed: 1, cpus: [2], quick: true, ...options })
  const named = (name) => result.cells.find((cell) => cell.name === name)
  return { result, named, ...fake }
}
