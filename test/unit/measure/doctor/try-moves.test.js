// Both versions of a real app, started by its command: answers, what is left behind, and what stands in the way.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { limitSupport } from '../../../../build/cpu/limit/limit-support.js'
import { resolveDoctor } from '../../../../build/measure/doctor/options.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'
import { tryMoves } from '../../../../build/measure/doctor/try-moves.js'
import { temporaryFolder } from '../../../helpers/files.js'

const REPORT = `export function report(title) {
  let sum = 0
  for (let i = 0; i < 3e6; i++) sum = (sum * 31 + i) % 1000003
  return title + ' ' + sum
}
`
const SERVER = `import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { report } from './report.js'

createServer((req, res) => {
  if (req.url === '/id') return res.end(randomUUID())
  res.end(report(req.url))
}).listen(process.env.PORT)
`

const home = process.cwd()
const homeTmp = process.env.TMPDIR
let root

before((t) => {
  root = temporaryFolder(t ?? { after })
})
after(() => {
  process.chdir(home)
  if (homeTmp === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = homeTmp
})

let made = 0

/** An app of these files in a folder of its own, which is where we are then; and what doctor found of its function. */
function appOf(files, names = ['report']) {
  const folder = join(root, `app-${made++}`)
  const tmp = join(root, `tmp-${made}`)
  for (const each of [folder, tmp]) mkdirSync(each)
  const all = { 'package.json': '{"type":"module"}', 'server.js': SERVER, 'report.js': REPORT, ...files }
  for (const [file, text] of Object.entries(all)) writeFileSync(join(folder, file), text)
  process.chdir(folder)
  process.env.TMPDIR = tmp
  const scripts = Object.keys(all).filter((file) => /\.js$/.test(file)).map((file) => scriptOf(join(folder, file), all[file])) // prettier-ignore
  const candidates = names.map((name) => candidateOf(scripts, name))
  const functions = candidates.map(({ each }) => each.row)
  return { folder, tmp, all, scripts, candidates, functions }
}

const scriptOf = (path, text) => ({
  ...{ url: pathToFileURL(path).href, text, sourceMap: '', parsed: parseScript(text) },
  placeOf: (line, column) => ({ file: path, line: line + 1, column, isUsers: true }),
})

function candidateOf(scripts, name) {
  for (const script of scripts) {
    const found = script.parsed.functions.find(({ node }) => node.id?.name === name)
    const row = { name, file: 'report.js', line: 1, share: 0.9, inclusiveShare: 0.9, verdict: 'move', reasons: [], conditions: [] } // prettier-ignore
    if (found) return { each: { row, subject: { script, found } }, seen: {} }
  }
}

function tried({ scripts, candidates, functions }, more = {}) {
  const { signal, onPhase, ...trial } = more
  const options = resolveDoctor({ words: ['server.js'], paths: ['/a', '/id'], trial: { rounds: 3, ...trial }, ...(signal && { signal }), ...(onPhase && { onPhase }) }) // prettier-ignore
  return tryMoves({
    scripts,
    candidates,
    found: candidates.map(({ each }) => each),
    functions,
    options,
    rate: 20,
  })
}

/** The app as it was, and nothing in the folder for temporary files. */
function assertUntouched({ folder, tmp, all }) {
  const files = readdirSync(folder).filter((file) => file !== 'threadwise.patch')
  assert.deepEqual(files.sort(), Object.keys(all).sort())
  for (const file of files) assert.equal(readFileSync(join(folder, file), 'utf8'), all[file])
  assert.deepEqual(readdirSync(tmp), [])
}

test('both versions answer the same, and a patch is a file', async () => {
  const app = appOf({})
  const trial = await tried(app)
  assert.ok(trial.responses.compared > 20, trial.sentence)
  assert.equal(trial.responses.equal, trial.responses.compared, trial.sentence)
  assert.ok(trial.responses.masked > 0)
  assert.deepEqual(trial.ratios.filter(({ path }) => path === '/a').map(({ metric }) => metric), ['p50', 'p99']) // prettier-ignore
  const isOffered = readdirSync(app.folder).includes('threadwise.patch')
  assert.equal(isOffered, trial.patch !== null)
  if (isOffered) assert.equal(readFileSync(join(app.folder, 'threadwise.patch'), 'utf8'), trial.patch)
  assertUntouched(app)
})

test('answers that differ are told, and there is no patch', async () => {
  const report = `import { isMainThread } from 'node:worker_threads'\n${REPORT.replace("' ' + sum", "' ' + isMainThread")}`
  const app = appOf({ 'report.js': report })
  const trial = await tried(app)
  assert.equal(trial.patch, null)
  assert.match(trial.sentence, /^No patch is offered for report: \d+ of \d+ responses differ \(\/a: at character \d+/) // prettier-ignore
  assertUntouched(app)
})

test('each version of an app with a port of its own gets a free one', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address()
  for (const listen of [`.listen(${port}, '127.0.0.1')`, `.listen({ port: '${port}', host: '127.0.0.1' })`]) {
    const app = appOf({ 'server.js': SERVER.replace('.listen(process.env.PORT)', listen) })
    const trial = await tried(app)
    assert.ok(trial.responses.compared > 20, trial.sentence)
    assert.equal(trial.responses.equal, trial.responses.compared, trial.sentence)
    assertUntouched(app)
  }
})

test('an app that cannot answer at another port is not tried', async () => {
  const self = `res.end(report(req.url))
}).listen(39_999)`
  const asking = `fetch('http://127.0.0.1:39999/part').then(() => res.end(report(req.url)), () => res.writeHead(502).end())
}).listen(39_999)`
  const app = appOf({ 'server.js': SERVER.replace('process.env.PORT', '39_999').replace(self, asking) })
  assert.match(app.all['server.js'], /fetch/)
  const trial = await tried(app)
  assert.match(trial.sentence, /^Nothing was tried: the app itself answers \/a with status 502/)
  assertUntouched(app)
})

test(
  'an app at a socket file cannot run twice',
  { skip: process.platform === 'win32' && 'Windows has pipes' },
  async () => {
    const app = appOf({})
    writeFileSync(join(app.folder, 'server.js'), (app.all['server.js'] = SERVER.replace('process.env.PORT', JSON.stringify(join(root, `app-${made}.sock`))))) // prettier-ignore
    const trial = await tried(app)
    assert.match(
      trial.sentence,
      /^Nothing was tried: the app listens at the socket .* cannot run side by side/,
    )
    assertUntouched(app)
  },
)

test('a file that git ignores is not changed: the next build writes it anew', async () => {
  const app = appOf({})
  writeFileSync(join(app.folder, '.gitignore'), (app.all['.gitignore'] = 'report.js\n'))
  assert.equal(spawnSync('git', ['init', '-q']).status, 0)
  const trial = await tried(app)
  assert.match(trial.sentence, /^No patch: report cannot move \(report\.js:1\): git ignores its file: build with source maps/) // prettier-ignore
  rmSync(join(app.folder, '.git'), { recursive: true })
  assertUntouched(app)
})

test('what no promise can be given to is refused with its place, and nothing is started', async () => {
  const app = appOf({ 'server.js': SERVER.replace('report(req.url)', '[1].sort(() => report(req.url))') })
  const trial = await tried(app)
  assert.deepEqual(trial.refused, [{ name: 'report', file: 'server.js', line: 7, reason: 'report is called in a sort callback, which takes no promise' }]) // prettier-ignore
  assert.match(trial.sentence, /^No patch: report cannot move \(server\.js:7\)/)
  assertUntouched(app)
})

/** Words of a command that notes something, and where it runs. */
const noting = (what) => [process.execPath, '-e', `require('node:fs').appendFileSync(process.env.SEEN, ${JSON.stringify(what)} + ' ' + process.cwd() + '\\n')`] // prettier-ignore

test('the version is built in its own folder, and commands run before both start and before their load', async (t) => {
  const seen = join(root, 'commands')
  process.env.SEEN = seen
  t.after(() => delete process.env.SEEN)
  const start = `import { appendFileSync as note } from 'node:fs'\nnote(process.env.SEEN, 'start ' + process.cwd() + '\\n')\n`
  const app = appOf({ 'server.js': start + SERVER })
  await tried(app, { rounds: 1, build: noting('build'), setup: noting('setup'), reset: noting('reset') })
  const [built, ...lines] = readFileSync(seen, 'utf8').trim().split('\n')
  assert.match(built, /^build /)
  assert.ok(!built.includes(app.folder), built)
  assert.deepEqual(lines, [`setup ${app.folder}`, `start ${app.folder}`, built.replace('build', 'start'), `reset ${app.folder}`]) // prettier-ignore
  assertUntouched(app)
  const failed = await tried(app, { setup: [process.execPath, '-e', 'process.exit(3)'] })
  assert.match(failed.sentence, /^Nothing was tried: .* failed: /)
  assertUntouched(app)
})

test('both run under the same CPU limit, or nothing is tried and the reason told', async (t) => {
  const tooMany = await tried(appOf({}), { cpus: 1000 })
  assert.match(tooMany.sentence, /^Nothing was tried: .*1000/)
  const [{ exact }] = limitSupport()
  if (!exact) return t.skip('no limit below a CPU on this machine')
  const seen = join(root, 'seen')
  process.env.SEEN = seen
  t.after(() => delete process.env.SEEN)
  const start = `import { appendFileSync } from 'node:fs'
    import { cpuBudget } from ${JSON.stringify(new URL('../../../../dist/index.js', import.meta.url).href)}
    appendFileSync(process.env.SEEN, cpuBudget().cpus + ' ')\n`
  const app = appOf({ 'server.js': start + SERVER })
  const trial = await tried(app, { cpus: 0.5, rounds: 2 })
  assert.equal(readFileSync(seen, 'utf8'), '0.5 0.5 ', trial.sentence)
  assert.ok(
    trial.responses.compared > 10 && trial.responses.equal === trial.responses.compared,
    trial.sentence,
  )
  assertUntouched(app)
})

test('interrupted under load it leaves nothing', async () => {
  const app = appOf({})
  const abort = new AbortController()
  const onPhase = (text) => /by turns: 1/.test(text) && abort.abort()
  await assert.rejects(tried(app, { signal: abort.signal, onPhase }), { name: 'AbortError' })
  assertUntouched(app)
})

test('requests that change data are not repeated without leave', () => {
  const options = { words: [join(root, 'app-0/server.js')], method: 'POST' }
  const message = /GET or HEAD with --try/
  assert.throws(() => resolveDoctor({ ...options, trial: {} }), { code: 'TW_ERR_INVALID_OPTION', message })
  assert.ok(resolveDoctor({ ...options, trial: { allowWrites: true } }).try)
})
