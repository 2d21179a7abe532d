// Real calls made again: what is the same, what differs each time, and what differs from the app.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { serialize } from 'node:v8'
import { startReplay } from '../../../../build/measure/doctor/proof/start-replay.js'
import { replay } from '../../../../build/measure/doctor/proof/replay/replay.js'

const text = (value) => serialize(value).toString('base64')

/** Calls of a task `f` with 1, 2 and 3, which gave twice as much in the app. */
function replayed(code, redacted = null) {
  const module = `data:text/javascript,${encodeURIComponent(code)}`
  const calls = [1, 2, 3].map((number) => ({ given: text([number]), result: text({ twice: 2 * number }) }))
  return replay({ module, task: 'f', calls, redacted: redacted?.map((args) => text(args)) ?? null })
}

describe('a replay', () => {
  test('finds the same, of promises too', async () => {
    for (const code of [
      'export const f = (x) => ({ twice: x * 2 })',
      'export async function f(x) { return { twice: x * 2 } }',
    ]) {
      const { loadError, same, unsteady, error } = await replayed(code)
      assert.deepEqual({ loadError, same, unsteady, error }, { loadError: null, same: 3, unsteady: 0, error: null }) // prettier-ignore
    }
  })

  test('finds what differs each time, and what depends on the calls before', async () => {
    for (const code of [
      'export const f = () => Math.random()',
      'let sum = 0; export const f = (x) => (sum += x)',
      'let last = 0; export const f = (x) => { const before = last; last = x; return before }',
    ])
      assert.ok((await replayed(code)).unsteady > 0, code)
  })

  test('finds what is steady, and not as it was in the app', async () => {
    const { same, unsteady } = await replayed('export const f = (x) => ({ twice: x === 2 ? 5 : x * 2 })')
    assert.deepEqual([same, unsteady], [2, 0])
  })

  test('says how a call fails without what it was given', async () => {
    const { error, same } = await replayed('export const f = (x) => { throw new RangeError(`no ${x}`) }')
    assert.deepEqual([error, same], ['RangeError', 0])
  })

  test('says why a module does not load', async () => {
    const { loadError } = await replayed('throw new Error("no database")')
    assert.match(loadError, /no database/)
  })

  test('times redacted arguments, and says when they are none', async () => {
    const code =
      'export const f = (x) => { if (x > 5) throw new RangeError("too much"); return { twice: x * 2 } }'
    const fine = await replayed(code, [[1], [1], [1]])
    assert.deepEqual([fine.redactedError, typeof fine.redactedMs], [null, 'number'])
    const bad = await replayed(code, [[1], [9], [1]])
    assert.deepEqual([bad.redactedMs, bad.redactedError, bad.same], [null, 'RangeError: too much', 3])
  })

  test('makes of long calls only the last one more than once', async () => {
    const long =
      'const until = performance.now() + 510; while (performance.now() < until); globalThis.longCalls++'
    globalThis.longCalls = 0
    const { same, unsteady, ms, redactedMs } = await replayed(`export const f = (x) => { ${long}; return { twice: x * 2 } }`, [[1], [1], [1]]) // prettier-ignore
    assert.deepEqual([same, unsteady, globalThis.longCalls], [3, 0, 3 + 2 + 1])
    assert.ok(ms >= 510 && redactedMs >= 510)
  })
})

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a replay in a process of its own', () => {
  const started = async (code) => {
    const module = `data:text/javascript,${encodeURIComponent(code)}`
    const calls = [1, 2, 3].map((number) => ({ given: text([number]), result: text(number) }))
    return startReplay(
      { module, task: 'f', calls, redacted: null },
      { signal: new AbortController().signal, until: Infinity },
    )
  }

  const folder = makeFolder()
  const file = JSON.stringify(join(folder, 'effect'))
  // What each tries is caught, as packages do, so that only the process itself can tell of it.
  const effects = {
    'it uses the network': [
      "import { connect } from 'node:net'; const act = () => connect(9, '127.0.0.1')",
      "const act = () => fetch('http://127.0.0.1:49151/')",
      "import { createSocket } from 'node:dgram'; const act = () => createSocket('udp4').send('x', 9, '127.0.0.1')",
      "import { lookup } from 'node:dns/promises'; const act = () => lookup('localhost')",
      "import { Resolver } from 'node:dns'; const act = () => new Resolver().resolve4('localhost', () => {})",
      "import { createServer } from 'node:http'; const act = () => createServer().listen(0)",
      "import { open } from 'node:inspector'; const act = () => open(0)",
    ],
    'it writes files': [
      `import fs from 'node:fs'; const act = () => fs.appendFileSync(${file}, 'x')`,
      `import { openSync } from 'node:fs'; const act = () => openSync(${file}, 'w')`,
      `import { open } from 'node:fs/promises'; const act = () => open(${file}, 'a')`,
      `const act = () => process.report.writeReport(${file})`,
      `import { writeHeapSnapshot } from 'node:v8'; const act = () => writeHeapSnapshot(${file})`,
      "import { createTracing } from 'node:trace_events'; const act = () => createTracing({ categories: ['node'] }).enable()",
    ],
    'it starts programs': [
      `import { execSync } from 'node:child_process'; const act = () => execSync('touch ' + ${file})`,
      `import { fork } from 'node:child_process'; const act = () => fork(${file})`,
      "import cluster from 'node:cluster'; const act = () => cluster.fork()",
    ],
    'it starts threads': [
      `import { Worker } from 'node:worker_threads'; const act = () => new Worker("require('fs').writeFileSync(" + ${JSON.stringify(file)} + ", 'x')", { eval: true })`,
    ],
    'it runs native code': [
      `const act = () => process.dlopen({ exports: {} }, ${file})`,
      `import { createRequire } from 'node:module'; const act = () => createRequire('/')('/nowhere.node')`,
    ],
    'it sends signals': ["const act = () => process.kill(process.pid, 0)", "const act = () => process._kill(process.pid, 0)"],
    'it changes the priority of programs': ["import os from 'node:os'; const act = () => os.setPriority(5)"],
    'it opens a database': process.getBuiltinModule('node:sqlite') === undefined ? [] : [
      `import { DatabaseSync } from 'node:sqlite'; const act = () => new DatabaseSync(${file})`,
    ],
  } // prettier-ignore
  writeFileSync(join(folder, 'effect.node'), 'no library')
  for (const [what, codes] of Object.entries(effects))
    for (const code of codes.map((each) => each.replaceAll('/nowhere.node', join(folder, 'effect.node'))))
      test(`keeps a call from what happens to the world, and tells of it: ${code.replaceAll(folder, '')}`, async () => {
        const result = await started(
          `${code}; export async function f(x) { try { await act() } catch {} return x }`,
        )
        assert.deepEqual([result.tried, result.same], [what, 3])
        assert.equal(existsSync(join(folder, 'effect')), false)
      })

  test('keeps a module from it that does it when it is loaded', async () => {
    const code = `import fs from 'node:fs'; fs.writeFileSync(${file}, 'x'); export const f = (x) => x`
    assert.match((await started(code)).loadError, /it writes files/)
    assert.equal(existsSync(join(folder, 'effect')), false)
  })

  test('says nothing of a call that ends the process, or writes to its pipes', async () => {
    for (const code of [
      'export const f = () => process.exit(0)',
      'export const f = () => process.reallyExit(0)',
      "import { writeSync } from 'node:fs'; export const f = (x) => (writeSync(3, 'x'), x)",
    ])
      assert.equal(await started(code), null)
  })

  test('runs no code that NODE_OPTIONS names', async (t) => {
    const before = process.env.NODE_OPTIONS
    t.after(() => Object.assign(process.env, { NODE_OPTIONS: before ?? '' }))
    const preload = join(folder, 'preload.cjs')
    writeFileSync(preload, 'globalThis.isLoaded = true')
    for (const options of [`--require ${preload}`, `--require=${preload}`, `-r ${preload} --max-http-header-size=9000`]) {
      process.env.NODE_OPTIONS = options
      const { same } = await started("export const f = (x) => (globalThis.isLoaded ? 'loaded' : x)")
      assert.equal(same, 3, options)
    }
  }) // prettier-ignore

  test('lets it compute, read and print', async () => {
    const { tried, same, waiting } = await started(
      "import { readFileSync } from 'node:fs'; export const f = (x) => { readFileSync('package.json'); console.log(x); return x }",
    )
    assert.deepEqual([tried, same], [null, 3])
    assert.ok(waiting < 0.5)
  })

  test('says how much of the time a call waits', async () => {
    const { waiting } = await started(
      'export const f = (x) => new Promise((done) => setTimeout(done, 50, x))',
    )
    assert.ok(waiting > 0.5, String(waiting))
  })
})
