// Runs one row of the matrix: a small app in an empty folder, with the packed package and the tools of the row from npm.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lookAtPages } from './look-at-page.js'

/**
 * @typedef {object} Row
 * @property {string} name by which it is chosen
 * @property {string} setup what the table calls it
 * @property {string} app folder of field/apps that is copied
 * @property {Record<string, string>} [parts] folder of the app -> folder of field/apps that is copied to it before
 * @property {string[]} [packages] from npm, beside threadwise
 * @property {number} [node] major version of Node, from npm; without it the one that runs this
 * @property {Record<string, string>} [files] path -> text, written over those of the app
 * @property {string[]} [build] commands, one after the other
 * @property {string} [alone] what was built, copied into an empty folder of its own before it is run
 * @property {string} [run] command that ends by itself
 * @property {RegExp} [prints] what it must print
 * @property {Server} [server] or a server that is started, called and stopped
 * @property {string} note what the table says beside the result: what the set-up needs
 *
 * @typedef {object} Server
 * @property {string} command gets the variable PORT
 * @property {Record<string, RegExp>} answers path -> what it must answer
 * @property {Record<string, RegExp>} [pages] path -> what that page must show in a browser
 * @property {Record<string, RegExp>} [forms] path of a page -> what it must answer once its form was sent, as without JavaScript
 * @property {{ file: string, from: string, to: string }} [edit] a change under which it reloads
 * @property {Record<string, RegExp>} [then] path -> what it must answer after that
 */

const STEP_MS = 900_000
const START_MS = 120_000
const STOP_MS = 20_000
const apps = fileURLToPath(new URL('./apps/', import.meta.url))

/** Groups of processes that run; each command leads one. */
const groups = new Set()
/** Of the row that runs. Those that are kept are none of them. */
const folders = new Set()
process.on('exit', cleanUp) // also when it is interrupted

/**
 * @param {Row} row
 * @param {string} archive of the packed package
 * @returns the versions that npm gave. Rejects with what went wrong.
 */
export async function runRow(row, archive) {
  const folder = mkdtempSync(join(tmpdir(), `threadwise-field-${row.name}-`))
  if (process.env.THREADWISE_FIELD_KEEP === undefined) folders.add(folder)
  try {
    const versions = await install(row, { archive, folder })
    for (const command of row.build ?? []) await runToEnd(command, row, folder)
    const place = row.alone ? moveAlone(row, folder) : folder
    if (row.run) check(await runToEnd(row.run, row, place, folder), row.prints, row.run)
    if (row.server) await tryServer(row, place, folder)
    return versions
  } finally {
    cleanUp()
  }
}

function cleanUp() {
  groups.forEach(killGroup)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  folders.clear()
}

async function install(row, { archive, folder }) {
  for (const [place, part] of Object.entries(row.parts ?? {}))
    cpSync(join(apps, part), join(folder, place), { recursive: true })
  cpSync(join(apps, row.app), folder, { recursive: true })
  for (const [path, text] of Object.entries(row.files ?? {})) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n')
  const packages = row.packages ?? []
  const node = row.node ? [`${nodePackage}@${row.node}`] : []
  const npm = (names) =>
    runToEnd(`npm install --no-audit --no-fund --prefer-offline ${names.join(' ')}`, row, folder)
  // First, so that it runs npm: of what an older Node cannot run npm would install older versions, which may not fit each other.
  if (row.node) await npm(node)
  await npm([archive, ...packages])
  return [...packages, ...node].map((tool) => {
    const name = tool.replace(/(?<=.)@.*$/, '')
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
    return `${name === nodePackage ? 'node' : name} ${version}`
  })
}

/** The package of npm that holds nothing but the program. */
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

function moveAlone({ alone }, folder) {
  const place = join(folder, '..', `${folder}-alone`)
  cpSync(join(folder, alone), place, { recursive: true, verbatimSymlinks: true }) // others would lead back
  rmSync(join(folder, alone), { recursive: true })
  folders.add(place)
  return place
}

/** `tools`: the folder whose node_modules holds them. */
function start(command, row, folder, { tools = folder, env = {} } = {}) {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|NODE_TEST)/.test(name))
  const bin = [join(tools, 'node_modules', nodePackage, 'bin'), join(tools, 'node_modules', '.bin')]
  const path = [...(row.node ? bin : bin.slice(1)), process.env.PATH].join(delimiter)
  const quiet = {
    CI: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
  }
  const child = spawn(command, {
    shell: true,
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(own), ...quiet, PATH: path, ...env },
  })
  groups.add(child.pid)
  const running = {
    pid: child.pid,
    output: '',
    ended: new Promise((done) => child.on('exit', (code, signal) => done(signal ?? code))),
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (running.output += data))
  running.closed = new Promise((done) => child.on('close', done))
  return running
}

async function runToEnd(command, row, folder, tools = folder) {
  const running = start(command, row, folder, { tools })
  const status = await within(STEP_MS, running.ended)
  if (status === 0) await within(STOP_MS, running.closed)
  if (status !== 0)
    throw new Error(
      `${command}: ${status === undefined ? 'did not end' : `ended with ${status}`}\n${running.output}`,
    )
  groups.delete(running.pid)
  return running.output
}

async function tryServer(row, place, tools) {
  const { command, answers, pages, forms = {}, edit, then } = row.server
  const port = await freePort()
  const running = start(command, row, place, { tools, env: { PORT: String(port), HOST: '127.0.0.1' } })
  try {
    for (const [path, expected] of Object.entries(answers)) await poll(running, port, path, expected)
    if (pages) await lookAtPages(`http://127.0.0.1:${port}`, pages)
    for (const [path, expected] of Object.entries(forms)) await poll(running, port, path, expected, sendForm)
    if (edit) {
      const file = join(place, edit.file)
      writeFileSync(file, readFileSync(file, 'utf8').replace(edit.from, edit.to))
      for (const [path, expected] of Object.entries(then)) await poll(running, port, path, expected)
    }
  } finally {
    signal(running.pid, 'SIGTERM')
  }
  await within(STOP_MS, running.closed)
  if (!(await hasEnded(running.pid)))
    throw new Error(`${command} did not end after SIGTERM\n${running.output}`)
}

/** Until it answers as expected; a server that starts or reloads may not do so yet. */
async function poll(running, port, path, expected, ask = fetch) {
  const until = Date.now() + START_MS
  let last
  for (;;) {
    try {
      const response = await ask(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(30_000) })
      last = `${response.status} ${await response.text()}`
      if (expected.test(last)) return
    } catch (error) {
      last = String(error.cause ?? error)
    }
    const isOver = Date.now() > until || !isAlive(running.pid)
    if (isOver)
      throw new Error(`${path} did not answer ${expected}, but ${last.slice(0, 2000)}\n${running.output}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** With the hidden fields of the page. */
async function sendForm(url, options) {
  const page = await (await fetch(url, options)).text()
  const body = new FormData()
  for (const [field] of page.matchAll(/<input type="hidden"[^>]*>/g)) {
    const valueOf = (name) => new RegExp(`\\b${name}="([^"]*)"`).exec(field)?.[1] ?? ''
    body.append(valueOf('name'), valueOf('value').replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
  }
  return fetch(url, { ...options, method: 'POST', body, headers: { Origin: new URL(url).origin } })
}

function check(output, expected, command) {
  if (!expected.test(output)) throw new Error(`${command} did not print ${expected}:\n${output}`)
}

function within(ms, promise) {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function signal(pid, name) {
  try {
    process.kill(-pid, name)
    return true
  } catch {
    return false // all of them have ended
  }
}

/** Nor is a process left that was started by it. One that has ended is seen until somebody has asked how. */
async function hasEnded(pid) {
  const until = Date.now() + STOP_MS
  while (isAlive(pid) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 100))
  return !isAlive(pid)
}

function isAlive(pid) {
  return signal(pid, 0)
}

function killGroup(pid) {
  signal(pid, 'SIGKILL')
  groups.delete(pid)
}
