// lab cluster: an instance on every CPU, for a server that only says hello, and for one that renders.

import { measureServer } from '../../measure/server/measure-server.js'
import type { ServerCell, ServerResult } from '../../measure/results/server-result.js'
import { MAX_CPUS } from '../runner/experiment.js'
import type { Experiment, OwnRun, Values } from '../runner/experiment.js'
import { findPackages } from '../runner/find-packages.js'
import type { LabServer, LabTable } from '../../measure/results/lab-result.js'
import { allCpus, formatTimes, nameLimit } from '../runner/wording.js'
import type { NoiseFacts } from '../../measure/results/result.js'

const parameters = {
  cpus: {
    flag: '--cpus <list>',
    description: 'CPU limits of the servers',
    get initial() {
      return [allCpus()]
    },
    least: 'fraction',
    most: MAX_CPUS,
  },
  connections: {
    flag: '--connections <n>',
    description: 'connections of the load, at most',
    initial: 32,
    most: 10_000,
  },
} as const

const USER = 'threadwise lab cluster'
const SERVERS = 2

export const cluster: Experiment<typeof parameters> = {
  name: 'cluster',
  question:
    'A server on every CPU: what does it give for hello world with Express, and for one that renders pages?',
  takes: 'about five minutes',
  parameters,
  mode: 'cell',
  rows: () => [],
  own: async (values, run) => {
    const { express } = findPackages(USER, ['express'])
    const instances = [Math.max(2, Math.ceil(Math.max(...values.cpus)))]
    const hello = await measure('hello', values, run, { instances, env: { THREADWISE_LAB_EXPRESS: express } })
    const isOver = run.signal?.aborted === true
    const threads = String(instances[0])
    const offload = { path: '/main', offloadPath: '/offload', env: { THREADWISE_LAB_THREADS: threads } }
    const render = isOver ? null : await measure('render', values, run, { instances, ...offload })
    const servers = [
      { title: 'Hello world with Express', result: hello },
      ...(render ? [{ title: 'A page of 80 cards', result: render }] : []),
    ]
    return {
      ...concludeCluster(servers),
      servers,
      noise: worstNoise(servers.map(({ result }) => result.noise)),
      complete: servers.length === SERVERS && servers.every(({ result }) => result.complete),
    }
  },
  conclude: () => ({ sentence: '', remarks: [], tables: [], heatMaps: [] }),
}

type MeasureOptions = NonNullable<Parameters<typeof measureServer>[1]>

function measure(
  name: string,
  { cpus, connections }: Values<typeof parameters>,
  { rounds, budget, signal, onServer }: OwnRun,
  options: MeasureOptions,
): Promise<ServerResult> {
  const file = new URL(`../../lab/servers/${name}-server.js`, import.meta.url)
  const each = budget === undefined ? undefined : budget / SERVERS
  return measureServer(file, {
    ...options,
    cpus,
    connections,
    rounds,
    budget: each,
    quick: true,
    signal,
    onProgress: onServer,
  })
}

/** Exported for its tests. */
export function concludeCluster(servers: readonly LabServer[]) {
  return {
    sentence: servers.map(({ title, result }) => sentenceFor(title, result)).join(' '),
    remarks: [
      ...servers.flatMap(({ title, result }) => offloadRemark(title, result)),
      ...unique(
        servers.flatMap(({ result }) =>
          result.advice.flatMap(({ reasons }) =>
            reasons.filter(({ id }) => id.startsWith('generator')).map(({ sentence }) => sentence),
          ),
        ),
      ),
      'The load comes from the same machine, from outside of the CPU limit of the server.',
    ],
    tables: servers.flatMap(({ title, result }) => tablesOf(title, result)),
    heatMaps: [],
  }
}

function sentenceFor(title: string, { advice, cells }: ServerResult): string {
  const isCompared = cells.some(({ way, failed }) => way !== 'single' && failed === null)
  if (advice.length === 0 || !isCompared) return `${title} could not be measured.`
  return advice.map(({ sentence }) => `${title}: ${sentence}`).join(' ')
}

/** What threads do for the requests, and for the time of answers. */
function offloadRemark(title: string, { cells, server }: ServerResult): string[] {
  return cells
    .filter(({ way, path, failed }) => way === 'single' && path === server.offloadPath && failed === null)
    .map(({ cpus, ratio, verdict, path }) => {
      const figure = `${formatTimes(ratio.value)} the requests of ${server.path}`
      return `${title} at ${nameLimit(cpus)}: in one process, ${path} answers ${figure} (${verdict.replace('-', ' ')}). There, threads do the work.`
    })
}

function tablesOf(title: string, { cells }: ServerResult): LabTable[] {
  return unique(cells.map(({ cpus }) => cpus)).map((cpus) => ({
    title: `${title}, at ${nameLimit(cpus)}; latency at 70 % of the requests that one process answered`,
    columns: ['way', 'requests/s', 'MB/s', 'vs one', 'verdict', 'p50, ms', 'p99, ms', 'timed out'],
    rows: cells.filter((cell) => cell.cpus === cpus).map((cell, index) => tableRow(cell, index === 0)),
  }))
}

function tableRow(cell: ServerCell, isBaseline: boolean): LabTable['rows'][number] {
  const { name, failed, throughput, answerBytes, ratio, verdict, latency, timeouts } = cell
  if (failed !== null) return [name, null, null, null, failed, null, null, null]
  const at = latency.find(({ isCompared }) => isCompared)
  return [
    name,
    rounded(throughput.median),
    answerBytes === null ? null : rounded((throughput.median * answerBytes) / 1e6),
    Number(ratio.value.toFixed(2)),
    isBaseline
      ? ''
      : `${verdict.replace('-', ' ')}${cell.isAtLeast && verdict === 'faster' ? ', at least' : ''}`,
    rounded(at?.p50 ?? null),
    rounded(at?.p99 ?? null),
    timeouts,
  ]
}

function rounded(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(3))
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

// How quiet the machine was over several measurements: as quiet as in the least quiet of them.

const ranks = ['quiet', 'noisy', 'unusable'] as const

/** @param all at least one */
export function worstNoise(all: readonly NoiseFacts[]): NoiseFacts {
  return all.reduce((worst, noise) =>
    ranks.indexOf(noise.verdict) > ranks.indexOf(worst.verdict) ? noise : worst,
  )
}
