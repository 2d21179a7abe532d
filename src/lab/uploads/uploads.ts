// lab uploads: a request brings files for S3. One after the other, by fork and join, or on an executor of their own?

import { checkDisk } from '../runner/free-disk.js'
import { MAX_THREADS } from '../runner/experiment.js'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  comparisonColumns,
  comparisonRow,
  sameResults,
  allCpus,
  plural,
  formatTimes,
} from '../runner/wording.js'
import type { Experiment, Prepared, Row, Values, MeasuredRow } from '../runner/experiment.js'
import { startDelayProxy } from './delay-proxy.js'
import { findPackages } from '../runner/find-packages.js'
import { startS3Server, type S3Server } from './s3-server.js'
import { openStore, type StoreAccess } from './s3-store.js'
import { accountFor, describeAccount } from './upload-account.js'
import { readUploadLog } from './upload-log.js'
import { drawRequests, type DrawnRequest } from './upload-timelines.js'
import type { UploadsPlan } from './uploads-program.js'
import type { Cell } from '../../measure/results/result.js'
import { AGAIN } from '../runner/judge-worth.js'

const parameters = {
  count: { flag: '--count <n>', description: 'files in one request', initial: 24, most: 100_000 },
  kilobytes: { flag: '--kilobytes <n>', description: 'size of a file', initial: 32, most: 1_000_000 },
  delay: {
    flag: '--delay <n>',
    description: 'milliseconds that a round trip to the store takes longer than on loopback',
    initial: 20,
    least: 0,
    most: 10_000,
  },
  min: {
    flag: '--min <n>',
    description: 'least threads of the dedicated executor',
    initial: 10,
    most: MAX_THREADS,
  },
  max: {
    flag: '--max <n>',
    description: 'most threads of the dedicated executor',
    initial: 40,
    most: MAX_THREADS,
  },
  queue: {
    flag: '--queue <n>',
    description: 'calls that may wait for it; further ones run in the main thread',
    initial: 50,
    least: 0,
    most: 1_000_000,
  },
  log: {
    flag: '--log <file>',
    description: 'keep the log of all uploads in this file',
    initial: '',
    isOutput: true,
  },
} as const

type UploadValues = Values<typeof parameters>

const BUCKET = 'threadwise-lab'
const USER = 'threadwise lab uploads'
const CLOSE_MS = 60_000
/** The store keeps the files of all requests of a run: rather more than there are. */
const REQUESTS = 500

export const uploads: Experiment<typeof parameters> = {
  name: 'uploads',
  question:
    'A request brings files that go to S3: one after the other, by fork and join, or on an executor of their own?',
  takes: 'about three minutes',
  parameters,
  mode: 'cell',
  prepare: prepareUploads,
  rows: rowsOf,
  baselineOf: (_row, rows) => rows[0],
  conclude: (rows, { count, kilobytes, delay }) => ({
    sentence: concludeUploads(rows, `${plural(count, 'file')} of ${kilobytes} KiB`),
    remarks: [
      ...sameResults(
        rows,
        'In every row the endpoint answered for all files of a request, with the MD5 that the store had computed; this was checked after each request.',
      ),
      `A round trip to the store takes ${delay} ms longer than on loopback, as over a network; see --delay.`,
      'The loop delay is what every other request of the same process waits while files are stored.',
    ],
    tables: [
      {
        title: `Storing ${plural(count, 'file')} of ${kilobytes} KiB`,
        columns: comparisonColumns('requests/s', 'one after the other'),
        rows: rows.map((row) => comparisonRow(row, rows[0])),
      },
    ],
    heatMaps: [],
  }),
}

const ACCESS_FILE = 'access.json'

/** What the rows need of what was started for them. */
interface Started {
  readonly access: StoreAccess
  readonly log: string
}

async function prepareUploads(values: UploadValues, folder: string): Promise<Prepared> {
  const { '@aws-sdk/client-s3': client } = findPackages(USER, ['@aws-sdk/client-s3', 'busboy'])
  const { count, kilobytes } = values
  checkDisk(folder, { option: 'count', count, bytes: 1024 * kilobytes * REQUESTS, files: 2 * REQUESTS })
  const closing: (() => void)[] = []
  const cleanUp = () => closing.toReversed().forEach((close) => close())
  try {
    const server = await startS3Server(join(folder, 'store'), () => findPackages(USER, ['s3rver']).s3rver)
    closing.push(() => server.close())
    const proxy = await startDelayProxy(server.endpoint, values.delay)
    closing.push(() => proxy.close())
    const { accessKeyId, secretAccessKey } = server
    const near = { endpoint: server.endpoint, bucket: BUCKET, accessKeyId, secretAccessKey, client }
    const store = openStore(near)
    closing.push(() => store.close())
    await store.createBucket()
    const log = values.log === '' ? join(folder, 'uploads.log') : resolve(values.log)
    rmSync(log, { force: true })
    const started: Started = { access: { ...near, endpoint: proxy.endpoint }, log }
    writeFileSync(join(folder, ACCESS_FILE), JSON.stringify(started))
    const inspect = async () => {
      const lines = readUploadLog(log)
      const drawn = drawRequests(
        lines,
        rowsOf(values, folder).map(({ label }) => label),
      )
      const found = await accountFor(lines, store).then(describeAccount, (error: Error) => [
        `The store could not be listed at the end: ${error.message}.`,
      ])
      return { found, tables: drawnTable(drawn), timelines: drawn.map(({ timeline }) => timeline) }
    }
    return { cleanUp, found: [describeServer(server)], inspect }
  } catch (error) {
    cleanUp()
    throw error
  }
}

function rowsOf({ count, kilobytes, min, max, queue }: UploadValues, folder: string): Row[] {
  const { busboy } = findPackages(USER, ['busboy'])
  const { access, log } = JSON.parse(readFileSync(join(folder, ACCESS_FILE), 'utf8')) as Started
  const cpus = allCpus()
  const lanes = Math.max(1, Math.round(cpus))
  const most = Math.max(min, max)
  const row = (label: string, way: UploadsPlan['way'], cell: Executes): Row => {
    const plan: UploadsPlan = { way, label, access, busboy, log, lanes, count, bytes: 1024 * kilobytes }
    const url = new URL('../../lab/uploads/store-files.js', import.meta.url).href
    const program = new URL('../../lab/uploads/uploads-program.js', import.meta.url).href
    return {
      label,
      cell: {
        source: { kind: 'task', url, task: 'storeFile', inputs: [[plan]], program },
        variant: 'storeFile',
        cpus,
        uv: null,
        inFlight: 1,
        ...cell,
      },
    }
  }
  const dedicated = {
    name: 'uploads',
    size: { min, max: most },
    maxQueue: queue,
    whenFull: 'caller-runs',
    tasksPerWorker: 1,
    closeTimeout: CLOSE_MS,
  }
  return [
    row('one after the other', 'in-turn', { executor: 'inline', size: 1 }),
    row(`fork and join, ${plural(lanes, 'thread')}`, 'fork-join', {
      executor: 'threads',
      size: lanes,
      options: { name: 'forkjoin' },
    }),
    row(`dedicated, ${min} to ${most} threads`, 'each', {
      executor: 'threads',
      size: Math.min(most, Math.max(min, count)),
      options: dedicated,
    }),
    row(`concurrent, ${most} places`, 'each', { executor: 'concurrent', size: most }),
  ]
}

type Executes = Pick<Row['cell'], 'executor' | 'size' | 'options'>

function describeServer({ name, isAtomic }: S3Server): string {
  const how = isAtomic
    ? 'it gives an object its name once all of it is there'
    : 'it writes under the final name, unlike S3, so a killed run may leave half a file; install versitygw to rule that out'
  return `The store is ${name} on this machine, spoken to by @aws-sdk/client-s3: ${how}.`
}

function drawnTable(drawn: readonly DrawnRequest[]) {
  const columns = ['way', 'request, ms', 'one file, ms', 'workers', 'at most at a time']
  const rows = drawn.map(({ way, ms, fileMs, timeline: { lanes } }) => {
    const atATime = lanes.reduce((sum, { rows: side }) => sum + side.length, 0)
    return [way, Number(ms.toFixed(1)), Number(fileMs.toFixed(1)), lanes.length, atATime]
  })
  return drawn.length === 0 ? [] : [{ title: 'The last request of each way, as it is drawn', columns, rows }]
}

// The answer of the uploads experiment, from the measured intervals.

type Measured = Cell & { readonly label: string }

/** Compares all ways with the first, and the best one of threads with `concurrent`, which needs none. */
export function concludeUploads(rows: readonly MeasuredRow[], what: string): string {
  const [, ...others] = rows
  const ways = others.flatMap(({ label, measured, failed }): Measured[] =>
    measured && failed === undefined ? [{ ...measured, label }] : [],
  )
  if (ways.length === 0 || rows[0]?.failed !== undefined)
    return `Storing ${what} could not be measured in more than one way.`
  const best = bestOf(ways)
  if (best.verdict === 'cannot-tell')
    return `Storing ${what}: cannot tell which way is faster, ${figure(best)}; ${AGAIN}.`
  if (best.verdict !== 'faster')
    return `Storing ${what}: no way is faster than one file after the other here; the best, ${figure(best)}.`
  return `Storing ${what}: ${figure(best)}.${onThreads(ways)}`
}

/** Waiting needs no threads; whether they help all the same is for the intervals to say. */
function onThreads(ways: readonly Measured[]): string {
  const threads = ways.filter(({ executor }) => executor === 'threads')
  const alone = ways.find(({ executor }) => executor === 'concurrent')
  if (!alone || threads.length === 0) return ''
  const best = bestOf(threads)
  const names = `"${alone.label}", which stays in the main thread,`
  if (alone.ratio.low > best.ratio.high)
    return ` ${names} beats the best way on threads ("${best.label}", ${formatTimes(best.ratio.value)}): storing is waiting, and waiting needs no threads.`
  if (best.ratio.low > alone.ratio.high)
    return ` Threads are worth it: ${names} gives ${formatTimes(alone.ratio.value)}.`
  return ` The intervals of "${best.label}" and of ${names} overlap: between these two it cannot tell.`
}

function bestOf(ways: readonly Measured[]): Measured {
  return ways.reduce((a, b) => (b.ratio.value > a.ratio.value ? b : a))
}

function figure({ label, ratio: { value, low, high } }: Measured): string {
  return `"${label}" gives ${formatTimes(value)} the requests per second of one after the other (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`
}
