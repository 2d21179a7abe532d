// Runs the contract suite under another runtime: a copy of it in an empty folder, with the packed package and the runtime from npm.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Milliseconds without a word of a file. Each case has less. */
const QUIET_MS = 40_000
/** What tests import beside threadwise. */
const packages = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace-node',
  'typescript@5',
]

/** How each runtime runs a file, and tells its version. */
export const runtimes = {
  bun: { command: ['bun', 'run'], packages: ['bun'] },
  deno: { command: ['deno', 'run', '--allow-all', '--quiet'], packages: ['deno'] },
}

/**
 * A folder with the suite, the packed package and the runtime.
 *
 * @param {keyof typeof runtimes} name
 */
export async function prepare(name, archive) {
  const folder = mkdtempSync(join(tmpdir(), `threadwise-${name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  for (const path of ['contract', 'helpers', 'fixtures'])
    cpSync(join(root, 'test', path), join(folder, 'test', path), { recursive: true })
  cpSync(join(root, 'build'), join(folder, 'build'), { recursive: true })
  cpSync(join(root, 'field/runtimes'), join(folder, 'test/runtimes'), { recursive: true })
  useOwnRunner(join(folder, 'test'))
  writeFileSync(join(folder, 'package.json'), '{ "name": "suite", "private": true, "type": "module" }\n')
  const wanted = [archive, ...packages, ...runtimes[name].packages]
  await toEnd(starter(folder)(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...wanted]))
  return suiteIn(folder, name)
}

/** `run(file, executor)` runs one file of it on one executor; `version` is that of the runtime. */
export async function suiteIn(folder, name) {
  const { command } = runtimes[name]
  const start = starter(folder)
  const version = /\d+\.\d+\.\d+/.exec(await toEnd(start([command[0], '--version'])))[0]
  return { version, run: (file, executor) => runFile({ folder, start, command }, file, executor) }
}

function starter(folder) {
  const path = [join(folder, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  return ([file, ...args], env) =>
    spawn(file, args, { cwd: folder, env: { ...process.env, PATH: path, ...env }, detached: true })
}

export const contractFiles = readdirSync(join(root, 'test/contract')).filter((name) => name.endsWith('.js'))

function useOwnRunner(folder) {
  for (const name of ['contract', 'helpers'])
    for (const file of readdirSync(join(folder, name))) {
      if (!file.endsWith('.js')) continue
      const path = join(folder, name, file)
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll("'node:test'", "'../runtimes/node-test.js'"))
    }
}

/** Again, without the cases that are known, when one hangs or ends the process. Gives `{ name, state, reason }` of each. */
async function runFile({ folder, start, command }, file, executor) {
  const cases = join(folder, 'cases.jsonl')
  const words = [...command, 'test/runtimes/case-file.js', `../contract/${file}`]
  writeFileSync(cases, '')
  for (;;) {
    const child = start(words, { THREADWISE_CASES: cases, THREADWISE_TEST_EXECUTORS: executor })
    const { isQuiet, output, how } = await watch(child, cases)
    const lines = readFileSync(cases, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) // prettier-ignore
    const outcomes = new Map(lines.map((line) => [line.name, line]))
    const open = lines.at(-1)?.state === 'started' ? lines.at(-1).name : undefined
    if (outcomes.has('all') || open === undefined) {
      outcomes.delete('all')
      if (lines.at(-1)?.name !== 'all')
        outcomes.set('the file', { name: 'the file', state: 'failed', reason: `${how} ${output}` })
      return [...outcomes.values()]
    }
    const reason = isQuiet ? 'it hangs, and its timers too' : `the process ended (${how}) ${output}`
    writeFileSync(cases, `${JSON.stringify({ name: open, state: 'failed', reason })}\n`, { flag: 'a' })
  }
}

/** Until it ends, or says nothing for too long. */
async function watch(child, cases) {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (output = (output + data).slice(-3000)))
  let isQuiet = false
  let size = 0
  let since = Date.now()
  const look = setInterval(() => {
    const now = readFileSync(cases).length
    if (now !== size) since = Date.now()
    size = now
    if (Date.now() - since < QUIET_MS) return
    isQuiet = true
    kill(child.pid)
  }, 1000)
  const how = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)))
  clearInterval(look)
  kill(child.pid) // what it has left
  return { isQuiet, output, how }
}

function kill(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // all of them have ended
  }
}

function toEnd(child) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  return new Promise((resolve, reject) =>
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output)))),
  )
}
