// A dashboard in this process, on services that are made up.
import { createAdmission } from '../../build/cli/dashboard/admission.js'
import { Collector } from '../../build/cli/dashboard/look/collector.js'
import { createDashboardServer } from '../../build/cli/dashboard/dashboard-server.js'

export const TOKEN = 'x'.repeat(43)

export function loadOf(more = {}) {
  return {
    ...{ requests: 10, errors: 1, open: 2, perSecond: 1.5, p50: 3, p99: 40, loopDelay: 12 },
    ...{ cpu: 0.25, cpuMs: 900, rss: 50 * 1024 ** 2, heapUsed: 10 * 1024 ** 2, totalMs: 100, within: {} },
    ...more,
  }
}

export function statusOf(name, { instances = 2, load = loadOf(), ...more } = {}) {
  return {
    ...{ version: 1, name, file: `/app/${name}.js`, kind: 'server', pid: process.pid, state: 'serving' },
    ...{ ports: ['port 3000'], wanted: instances, startedAt: 1000, reloads: 0, crashes: 0, renewals: 0 },
    ...{ lastProblem: null, scaling: null },
    instances: Array.from({ length: instances }, (_, index) => ({
      ...{ id: index + 1, pid: 40_000 + index, state: 'serving', startedAt: 2000, readyAt: 3000, load },
    })),
    ...more,
  }
}

/** A collector whose sources are functions of the test; `services` gives statuses. `asked`: the commands so far. */
export function fakeCollector({
  services = () => [],
  pools = () => [],
  apps = () => [],
  queues = () => [],
} = {}) {
  const asked = []
  const collector = new Collector({
    services: async (command) => {
      asked.push(command)
      return { services: services(command), silent: [], odd: [] }
    },
    pools: async () => ({ pools: pools(), silent: [] }),
    ...{ apps, queues },
  })
  return { collector, asked }
}

/** Ends with the test. */
export async function dashboardOf(t, collector, { isReadOnly = false } = {}) {
  const admission = createAdmission(TOKEN, isReadOnly)
  const server = createDashboardServer(admission, collector)
  t.after(() => server.close())
  const port = await server.listen({ port: 0 })
  return { port, admission, url: `http://127.0.0.1:${port}/${TOKEN}/` }
}
