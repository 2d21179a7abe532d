// Has V8 compile what the start of a pool runs as it reads the package, instead of function by function while the workers start.
//
// V8 only skims a function, and when it is first called reads it again to compile it: some 20 us for each of 240 functions, at a time
// when two workers need both CPUs. A function in parentheses it compiles at once (https://v8.dev/blog/preparser#pife). There is no such
// sign for methods of classes; for arrow functions there is, but it makes the import slower and the start no faster. Until the first
// result of two threads 50.7 instead of 53.6 ms, import 18.5 instead of 18.2 (medians of 70 runs by turns, Node 24, two CPUs; bare
// threads 45.5).
import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'

/** Rewrites the bundles below `dist` that the start of a pool loads. */
export async function compileEagerly(dist) {
  const bundles = pathToFileURL(`${dist}bundle/`).href
  for (const { url, functions } of await coverageOfStart(`${dist}index.js`)) {
    if (!url.startsWith(bundles)) continue
    const file = new URL(url)
    writeFileSync(file, withHints(readFileSync(file, 'utf8'), functions))
  }
}

/** What V8 ran of each script, from the import of this package until the first results of its pools. */
async function coverageOfStart(index) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const { threads, processes } = await import(pathToFileURL(index))
  const tasks = new URL('data:text/javascript,export function noop() {}')
  const letTimersRun = stopTimers()
  const pools = [threads(tasks, { size: 1 }), processes(tasks, { size: 1 })]
  await Promise.all(pools.map((pool) => pool.tasks.noop(1)))
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  letTimersRun()
  await Promise.all(pools.map((pool) => pool.close()))
  return result
}

/** So that a slow machine builds the same as a fast one. */
function stopTimers() {
  const { setTimeout } = globalThis
  globalThis.setTimeout = () => setTimeout(() => {}, 0)
  return () => (globalThis.setTimeout = setTimeout)
}

/**
 * `function f() {...}` becomes `var f = (function f() {...})` where it was called, and moves to the top of its file: as a
 * declaration it was there before anything runs. Of files that import each other in a circle that would not do; esbuild makes none.
 */
function withHints(source, functions) {
  const ranges = functions.map((each) => each.ranges[0]).filter(({ count }) => count > 0)
  const called = new Set(ranges.map(({ startOffset }) => startOffset))
  const { statements } = ts.createSourceFile('bundle.js', source, ts.ScriptTarget.Latest, true)
  let hoisted = ''
  let rest = ''
  let at = 0
  for (const each of statements) {
    if (!ts.isFunctionDeclaration(each) || !called.has(each.getStart())) continue
    hoisted += `var ${each.name.text} = (${each.getText()});\n`
    rest += source.slice(at, each.getStart())
    at = each.end
  }
  return hoisted + rest + source.slice(at)
}
