// Which options each executor has. One of another executor would have no effect, and whoever gave it would not know.

import { checkNames, checkOption } from '../../errors/check-options.js'
import { NAMED_KINDS, type ExecutorKind } from './stats.js'

const ON_NODE: readonly ExecutorKind[] = ['threads', 'processes', 'adaptive']
const POOLS: readonly ExecutorKind[] = [...ON_NODE, 'web']
const HERE: readonly ExecutorKind[] = ['inline', 'concurrent', ...POOLS]
const ALL: readonly ExecutorKind[] = [...NAMED_KINDS, 'web']

const EXECUTORS_OF: Readonly<Record<string, readonly ExecutorKind[]>> = {
  name: ALL,
  startTimeout: ALL,
  closeTimeout: ALL,
  maxQueue: ALL,
  whenFull: ALL,
  workerData: HERE,
  teardownTimeout: HERE,
  host: HERE,
  concurrency: ['concurrent', ...POOLS],
  size: POOLS,
  budget: ON_NODE,
  idleTimeout: POOLS,
  tasksPerWorker: POOLS,
  balance: POOLS,
  recycle: POOLS,
  onWorkerExit: [...POOLS, 'bullmq'],
  onWorkerError: POOLS,
  warnAfter: POOLS,
  env: ON_NODE,
  execArgv: ON_NODE,
  argv: ON_NODE,
  output: ON_NODE,
  resourceLimits: ON_NODE,
  control: ON_NODE,
  isolate: ['threads', 'processes'],
  cwd: ['processes'],
  transport: ['threads', 'adaptive'],
  maxBlock: ['adaptive'],
  connection: ['bullmq'],
  queue: ['bullmq'],
  prefix: ['bullmq'],
  workerTimeout: ['bullmq'],
  storeTimeout: ['bullmq'],
  keepResults: ['bullmq'],
  maxPayload: ['bullmq'],
  secret: ['bullmq'],
  start: ['web'],
  fallback: ['web'],
  workerUrl: ['web'],
}

/** Of any executor but that of pages, which no profile names. */
export function optionsOnNode(): string[] {
  return Object.keys(EXECUTORS_OF).filter((name) => EXECUTORS_OF[name]!.some((kind) => kind !== 'web'))
}

const namesOf = new Map(
  ALL.map((kind) => [
    kind,
    new Set(Object.keys(EXECUTORS_OF).filter((name) => EXECUTORS_OF[name]!.includes(kind))),
  ]),
)

/** @throws TW_ERR_INVALID_OPTION for a name that this executor does not have */
export function checkExecutorNames(kind: ExecutorKind, options: object): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const others = Object.hasOwn(EXECUTORS_OF, name) ? EXECUTORS_OF[name]! : [kind]
    const onNode = others.filter((other) => other !== 'web').join(', ')
    const expected = `left out: ${kind} has no such option (it is one of ${onNode || 'web'})`
    checkOption(value === undefined || others.includes(kind), name, expected, value)
  }
  checkNames(options, namesOf.get(kind)!)
}

/** The options of this executor among those of any. */
export function optionsOf(kind: ExecutorKind, options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => namesOf.get(kind)!.has(name)))
}
