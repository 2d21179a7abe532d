// What workers print: nothing is lost, it comes before the result of its call, and lines may tell their worker.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { describeExecutors, taskModule } from '../helpers/executors.js'
import { fixture } from '../helpers/program.js'
import { line } from '../fixtures/tasks/prints.js'

const LINES = 500
/** More than a pipe and its reader hold: about 280 KB. */
const MANY = 5000

/** Runs the program, and begins to read its output after `pauseMs`; gives its lines. */
async function linesOf(words, { pauseMs = 0, input = 'ignore' } = {}) {
  const child = spawn(process.execPath, [fixture('programs/printing.js'), ...words], {
    stdio: [input, 'pipe', 'inherit'],
    timeout: 60_000,
  })
  // Node throws away what a child has left in its pipe as it exits, unless someone reads already (`flushStdio`).
  child.stdout.setEncoding('utf8').on('readable', () => {})
  await new Promise((resolve) => setTimeout(resolve, pauseMs))
  let text = ''
  for await (const piece of child.stdout) text += piece
  return text.trimEnd().split('\n')
}

/** All at once: each is a program of its own. */
const each = (values, run) => Promise.all(values.map(run))

const numbered = (count, label = '') => Array.from({ length: count }, (_, i) => label + line(i))

describeExecutors('what a task prints', (make, { kind, isPool, name }) => {
  const words = [kind, name === 'threads by message' ? 'message' : 'default']

  const ends = ['itself', 'async', 'close', 'destroy', ...(isPool ? ['recycle', 'resize', 'idle'] : [])]
  for (const end of ends) {
    test(`is there before its result, and whole, when the program goes on to: ${end}`, async () => {
      assert.deepEqual(await linesOf([...words, 'inherit', end, LINES]), [
        ...numbered(LINES),
        `result ${LINES}`,
      ])
    })
  }

  test('is there when the program exits as soon as it has the result', async () => {
    const lines = await linesOf([...words, 'inherit', 'exit', 20]) // few: what a pipe does not take, process.exit() drops
    assert.deepEqual(lines, [...numbered(20), 'result 20'])
  })

  const slowEnds = isPool ? ends.filter((end) => end !== 'async') : ['itself'] // in the own thread no end differs

  test('reaches a slow reader, whatever ends its worker', async () => {
    await each(slowEnds, async (end) => {
      const lines = await linesOf([...words, 'inherit', end, MANY], { pauseMs: 1000 })
      assert.deepEqual(lines, [...numbered(MANY), `result ${MANY}`], end)
    })
  })

  test('is whole though its lines are labelled', async (t) => {
    if (!isPool || kind === 'adaptive') return t.skip('there are no labels')
    await each(slowEnds, async (end) => {
      const lines = await linesOf([...words, 'labelled', end, MANY], { pauseMs: 1000 })
      assert.deepEqual(lines, [...numbered(MANY, '[lab-1] '), `result ${MANY}`], end)
    })
  })

  test('is whole when the task ends its worker, or prints as that ends', async (t) => {
    if (!isPool || kind === 'adaptive') return t.skip('it would end the program')
    await each(['inherit', 'labelled'], async (output) => {
      const label = output === 'labelled' ? '[lab-1] ' : ''
      const exited = await linesOf([...words, output, 'exitAfter', MANY])
      assert.deepEqual(exited, [...numbered(MANY, label), 'result TW_ERR_WORKER_EXITED'])
      const busy = await linesOf([...words, output, 'busy', MANY])
      assert.deepEqual(busy.slice(MANY + 1), numbered(MANY, label))
    })
  })

  test('takes all forms of text', async (t) => {
    if (!isPool) return t.skip('it is the stream of the program')
    const program = `import * as threadwise from 'threadwise'
      const pool = threadwise.${kind}(${JSON.stringify(taskModule('prints.js'))}, { size: 1 })
      await pool.tasks.printForms()`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
    assert.deepEqual(stdout, Buffer.from([0xe9, 0xc3, 0xa9, 0xc3, 0xa9, 0x61, 0x62, 0x0a]))
  })

  test('is not mixed up with what the program reads: workers leave its input alone', () => {
    const program = `import * as threadwise from 'threadwise'
      const isPool = ${isPool}
      const pool = threadwise.${kind}(${JSON.stringify(taskModule('basic.js'))}, isPool ? { size: 1 } : {})
      await pool.tasks.add(1, 2)
      let bytes = 0
      for await (const piece of process.stdin) bytes += piece.length
      console.log(bytes)
      await pool.close()`
    const input = 'x'.repeat(1_000_000)
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      input,
      encoding: 'utf8',
    })
    assert.equal(stdout, '1000000\n')
  })
})

for (const kind of ['threads', 'processes']) {
  test(`${kind}: lines stay whole, in order, and tell their worker`, () => {
    const program = fixture('programs/labelled-output.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, kind], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    assert.equal(status, 0, stderr)
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 41)
    for (const id of [1, 2]) {
      const own = lines.filter((line) => line.startsWith(`[lab-${id}] `)).map((line) => line.slice(8))
      assert.deepEqual(
        own,
        Array.from({ length: 20 }, (_, i) => `line ${i} of ${id}: größer`),
      )
    }
    assert.equal(lines.at(-1), 'done')
    assert.deepEqual(stderr.trimEnd().split('\n').sort(), ['[lab-1] oh', '[lab-2] oh']) // prettier-ignore
  })
}

describeExecutors('output to streams of the program', (make, { isPool }) => {
  if (!isPool) return

  test('arrives before the result, by stream, and leaves them open', async () => {
    const texts = { stdout: '', stderr: '' }
    const streamTo = (name) => new Writable({ write: (chunk, _, done) => ((texts[name] += chunk), done()) })
    const output = { stdout: streamTo('stdout'), stderr: streamTo('stderr') }
    const executor = make('surroundings.js', { output, size: 1, maxBlock: 0 })
    await executor.tasks.print('to one', 'to two')
    assert.deepEqual(texts, { stdout: 'to one\n', stderr: 'to two\n' })
    await executor.tasks.print('again', 'and again')
    await executor.close()
    assert.deepEqual(texts, { stdout: 'to one\nagain\n', stderr: 'to two\nand again\n' })
    assert.ok(output.stdout.writable)
  })

  test('what fails to write is the program’s to hear', async () => {
    const failing = new Writable({ write: (chunk, _, done) => done(new Error('full')) })
    const executor = make('surroundings.js', { output: { stdout: failing }, size: 1, maxBlock: 0 })
    await executor.tasks.print('to one', '')
    assert.equal(await executor.tasks.print('again', ''), 'printed')
  })
})
