// A misspelled option would silently mean its default: every way in refuses names that it does not know. What it knows is
// compared with its types, read by the compiler.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as threadwise from 'threadwise'
import { serve } from 'threadwise/cluster'
import { load, measure, measureServer } from 'threadwise/measure'
import { filter, map, mapReduce, reduce, sort } from 'threadwise/parallel'
import { registerClass } from 'threadwise/task'
import ts from 'typescript'

const module = `data:text/javascript,${encodeURIComponent('export const echo = (value) => value')}`
const here = fileURLToPath(import.meta.url)
const executor = threadwise.inline(module)
after(() => executor.close())

const factories = ['inline', 'concurrent', 'threads', 'processes', 'adaptive']
const poolNames = factories.map((name) => `${name[0].toUpperCase()}${name.slice(1)}Options`)

/** What is called, the interfaces of its options, by package, and how it is called with them. */
const ways = [
  ...factories.map((name) => way(name, 'index', poolNames, (options) => threadwise[name](module, options))),
  way('executor', 'index', ['ProfileOptions'], (options) => threadwise.executor(module, options)),
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
  way('registerClass', 'task', ['ClassOptions'], (options) => registerClass(class {}, options)),
]

function way(name, entry, interfaces, call) {
  return { name, entry, interfaces, call }
}

/** Names of the properties of exported interfaces. */
const propertiesOf = createReader([...new Set(ways.map(({ entry }) => entry))])

function createReader(entries) {
  const paths = entries.map((entry) => fileURLToPath(new URL(`../../../src/${entry}.ts`, import.meta.url)))
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
async function errorOf(call) {
  try {
    const given = await call()
    await given?.close?.()
    return undefined
  } catch (error) {
    return error
  }
}

for (const { name, entry, interfaces, call } of ways) {
  describe(name, () => {
    test('refuses an option that it does not know', async () => {
      const error = await errorOf(() => call({ misspelled: 7 }))
      assert.equal(error?.code, 'TW_ERR_INVALID_OPTION')
      assert.match(
        error.message,
        /^misspelled must be left out: there is no such option \(there are \w.*\), got 7\.$/,
      )
    })

    test('knows all options that its types have, and names no other', async () => {
      const { message } = await errorOf(() => call({ misspelled: 7 }))
      const listed = /\(there are (.*)\)/.exec(message)[1].split(', ')
      const typed = new Set(interfaces.flatMap((each) => propertiesOf(entry, each)))
      assert.deepEqual(listed.sort(), [...typed].sort())
    })
  })
}

test('an option that is undefined is as if it were not there', async () => {
  await threadwise.threads(module, { size: 1, misspelled: undefined }).close()
  assert.equal(await executor.run('echo', [5], { timeout: 1000, highWaterMark: undefined }), 5)
})

test('the steps of mapReduce have names, too', async () => {
  const steps = { map: 'echo', reduce: 'echo', inputs: [1], intial: 0 }
  const error = await errorOf(() => mapReduce(executor, steps))
  assert.match(error.message, /^intial must be left out.*did you mean initial\?/)
})

describe('the message', () => {
  const messageOf = (options) => {
    try {
      threadwise.threads(module, options)
    } catch (error) {
      return error.message
    }
  }

  test('names the option that was meant, where few letters are wrong', () => {
    const near = { sise: 'size', clostTimeout: 'closeTimeout', maxqueue: 'maxQueue', enviroment: undefined, retries: undefined } // prettier-ignore
    for (const [wrong, right] of Object.entries(near)) {
      const expected = right ? `did you mean ${right}?` : 'there are name, '
      assert.ok(messageOf({ [wrong]: 1 }).includes(expected), messageOf({ [wrong]: 1 }))
    }
  })

  test('covers options within options', () => {
    const start = (text) => `${text} must be left out: there is no such option`
    assert.ok(messageOf({ size: { max: 2, mim: 1 } }).startsWith(start('size.mim')))
    assert.match(messageOf({ size: { max: 2, mim: 1 } }), /did you mean size\.min\?/)
    assert.ok(messageOf({ recycle: { maxTask: 1 } }).startsWith(start('recycle.maxTask')))
    assert.ok(messageOf({ onWorkerExit: { retries: 1, backof: 1 } }).startsWith(start('onWorkerExit.backof')))
  })
})
