// Every way in that takes options: what is called, and which options its types have, read by the compiler.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as threadwise from 'threadwise'
import { bullmq, queueStatus, work } from 'threadwise/bullmq'
import { serve } from 'threadwise/cluster'
import { load, measure, measureServer } from 'threadwise/measure'
import { filter, map, mapReduce, reduce, sort } from 'threadwise/parallel'
import { registerClass } from 'threadwise/task'
import ts from 'typescript'

export const module = `data:text/javascript,${encodeURIComponent('export const echo = (value) => value')}`
const here = fileURLToPath(import.meta.url)
export const executor = threadwise.inline(module)
after(() => executor.close())

const store = { connection: 'redis://127.0.0.1:1', queue: 'none' }
/** Each creates an executor. */
export const create = {
  ...threadwise,
  bullmq: (module, options) => bullmq(module, { ...store, ...options }),
}
export const factories = ['inline', 'concurrent', 'threads', 'processes', 'adaptive', 'bullmq']
const typeOf = (name) => `${name[0].toUpperCase()}${name.slice(1)}Options`

const ofQueue = [
  'connection',
  'queue',
  'prefix',
  'workerTimeout',
  'storeTimeout',
  'keepResults',
  'maxPayload',
  'secret',
]

/** What is called, the interfaces of its options, by package, and how it is called with them. */
export const ways = [
  ...factories.map((name) =>
    way(name, name === 'bullmq' ? name : 'index', [typeOf(name)], (options) => create[name](module, options)),
  ),
  way('queueStatus', 'bullmq', ['QueueAddress'], (options) => queueStatus({ ...store, ...options })),
  way('work', 'bullmq', ['WorkOptions'], (options) => work(module, { ...store, ...options })),
  // There is no profile; adaptive has the options of all others, but for those of a queue, and two of processes.
  way('executor', 'index', ['ProfileOptions'], (options) => {
    const isOfQueue = Object.keys(options).some((name) => ofQueue.includes(name))
    const isOfProcesses = Object.keys(options).some((name) => ['isolate', 'cwd'].includes(name))
    const others = { fallback: isOfProcesses ? 'processes' : 'adaptive' }
    const fallback = isOfQueue ? { fallback: 'bullmq', ...store } : others
    return threadwise.executor(import.meta.url, { ...fallback, ...options })
  }),
  way('run', 'index', ['RunOptions'], (options) => executor.run('echo', [1], options)),
  way('executor.map', 'index', ['RunOptions'], (options) => executor.map('echo', [1], options)),
  way('stream', 'index', ['StreamOptions'], (options) => executor.stream('echo', [1], options)),
  way('serve', 'cluster', ['ServeOptions'], (options) => serve(here, options)),
  way('load', 'measure', ['LoadOptions'], (options) => load('http://localhost:1/', options)),
  way('measure', 'measure', ['MeasureOptions'], (options) => measure(here, options)),
  way('measureServer', 'measure', ['MeasureServerOptions'], (options) => measureServer(here, options)),
  way('map', 'parallel', ['MapOptions'], (options) => map(executor, 'echo', [1], options)),
  way('filter', 'parallel', ['ParallelOptions'], (options) => filter(executor, 'echo', [1], options)),
  way('reduce', 'parallel', ['ReduceOptions'], (options) => reduce(executor, 'echo', [1], options)),
  way('mapReduce', 'parallel', ['ParallelOptions'], (options) =>
    mapReduce(executor, { map: 'echo', reduce: 'echo', inputs: [1] }, options),
  ),
  way('sort', 'parallel', ['SortOptions'], (options) => sort(executor, new Uint8Array(3), options)),
  way('registerClass', 'task', ['ClassOptions'], (options) => registerClass(class Registered {}, options)),
]

function way(name, entry, interfaces, call) {
  return { name, entry, interfaces, call }
}

/** Names of the properties of exported interfaces. */
const propertiesOf = createReader([...new Set(ways.map(({ entry }) => entry))])

/** Names of the options of a way, by its types. */
export const optionsOf = ({ entry, interfaces }) => [
  ...new Set(interfaces.flatMap((each) => propertiesOf(entry, each))),
]

function createReader(entries) {
  const paths = entries.map((entry) => fileURLToPath(new URL(`../../src/${entry}.ts`, import.meta.url)))
  const program = ts.createProgram(paths, { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 })
  const checker = program.getTypeChecker()
  return (entry, name) => {
    const source = program.getSourceFile(paths[entries.indexOf(entry)])
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source))
    const symbol = exported.find((each) => each.name === name)
    assert.ok(symbol, `${name} is exported by ${entry}`)
    const type = checker.getDeclaredTypeOfSymbol(
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    return checker.getPropertiesOfType(type).map((property) => property.name)
  }
}

/** The error that a call ends with, thrown or as a rejection; undefined: none. What it gives is closed. */
export async function errorOf(call) {
  try {
    const given = await call()
    await given?.close?.()
    return undefined
  } catch (error) {
    return error
  }
}
