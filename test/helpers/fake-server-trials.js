// A runner of server trials with exact figures: answers as the real one would, from a model of the server and seeded noise.
import { ThreadwiseError } from '../../build/errors/errors.js'
import { createRandom } from '../../build/measure/stats/random.js'

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
  /** Row -> reason why its trial fails. */
  failureOf: () => null,
  errorRate: () => 0,
  /** Larger limits are unavailable. */
  cpus: 64,
  onTrial: () => {},
}

const enforcement = { method: 'cgroup-v2', exact: true, note: 'a quota' }

/** `runTrial` for measureServer(), and `requests`: all that it was asked. */
export function fakeServerTrials(changes = {}) {
  const server = { ...plainServer, ...changes }
  const random = createRandom(server.seed)
  const requests = []
  const runTrial = async (request) => {
    const { cpus } = request.row
    if (cpus > server.cpus)
      throw new ThreadwiseError('TW_ERR_LIMIT_UNAVAILABLE', { cpus, reason: 'too many' })
    requests.push(request)
    server.onTrial(request, requests.length)
    const reason = server.failureOf(request.row)
    if (reason !== null) return { answer: { kind: 'failed', reason }, enforcement }
    return { answer: answerOf(request, server, random), enforcement }
  }
  return { runTrial, requests }
}

function answerOf({ row, rates, connections }, server, random) {
  const { cpuMs, waitMs, price, noise, generatorCpu } = server
  const jitter = () => 1 + noise * (random() - 0.5)
  const parallel = row.path === '/offload' ? row.cpus : Math.min(row.cpus, row.instances)
  const excess = row.instances > Math.ceil(row.cpus) ? 0.9 : 1
  const most = (parallel * 1000 * excess * (row.way === 'cluster' ? 1 - price : 1)) / Math.max(cpuMs, 0.001)
  const throughput = Math.min(most, (connections * 1000) / (cpuMs + waitMs)) * jitter()
  const limitedBecause = server.limitedBecause(row)
  const runs = rates.map(({ share, rate }) => {
    const p50 = (cpuMs + waitMs) * jitter()
    const load = Math.min(0.99, rate / most)
    return { share, rate, p50, p99: (waitMs + cpuMs / (1 - load)) * jitter(), errorRate: 0, timeouts: 0, limitedBecause: null } // prettier-ignore
  })
  if (rates.length > 0) return { kind: 'latency', runs }
  const errorRate = server.errorRate(row)
  return {
    ...{ kind: 'saturation', throughput, errorRate, firstError: errorRate > 0 ? 'status 500' : null },
    ...{ timeouts: 0, generatorCpu, limitedBecause, answerBytes: 1000, startMs: 200 },
    serverCpus: (throughput * cpuMs) / 1000,
  }
}
