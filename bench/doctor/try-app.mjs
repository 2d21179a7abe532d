// Tries one app of the corpus, in a copy: what doctor says of it, and what it answers when that is done.
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { diagnose } from '../../build/measure/doctor/doctor.js'
import { known } from './corpus/known.mjs'
import { classToRegister, moveFunctions } from './move-app.mjs'
import { freePort } from './run-app.mjs'

const RATE = 40
const REQUESTS = 500
const STARTS_MS = 20_000
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
/** Below this folder, so that the apps find the packages of this one. */
const copies = here(`./.corpus-${process.pid}`)

export function removeCorpus() {
  rmSync(copies, { recursive: true, force: true })
}

export async function tryApp(name, { moves }) {
  const startedAt = performance.now()
  const { start, paths, right, rate = RATE, method, headers, body, packages = [] } = known[name]
  const folder = copyApp(name, 'original')
  const result = await diagnose({
    ...{
      words: [join(folder, start)],
      paths,
      ...(rate && { rate }),
      ...(method && { method, headers, body }),
    },
    out: join(folder, '.threadwise'),
  })
  const verdicts = Object.entries(right).map(([called, expected]) => judge(called, expected, result))
  const untold = packages.filter((each) => !result.packages.some(({ name }) => name === each)).map((each) => `FALSE  the package ${each} is not named`) // prettier-ignore
  const rows = verdicts.flatMap(({ row, right, isFalseMove }) => (row?.verdict === 'move' && !isFalseMove && isToBeMoved(row, right) ? [row] : [])) // prettier-ignore
  const seconds = (performance.now() - startedAt) / 1000
  const moved = moves && rows.length > 0 ? await move(name, rows) : null
  return { name, seconds, verdicts, untold, moved, problem: result.problem && `${result.problem}: ${result.sentence}`, functions: result.functions } // prettier-ignore
}

/** @param called names of which one is that of the function, since V8 and doctor name some of them after what holds them */
function judge(called, right, { functions }) {
  const row = functions.find((each) => called.split('|').includes(each.name))
  const { verdict = 'not found', reasons = [], conditions = [] } = row ?? {}
  const kinds = new Set(conditions.map(({ kind }) => kind))
  const isNamed = right.if ? right.if.every((kind) => kinds.has(kind)) : right.unless ? right.unless.some((kind) => kinds.has(kind)) : right === 'move' // prettier-ignore
  const wanted = ['await-callers', ...(right.if ?? []), ...(right.unless ?? [])]
  const needless = verdict === 'move' && right !== 'cannot' ? conditions.filter(({ kind }) => !wanted.includes(kind)).map(({ kind, text }) => `${kind}: ${text}`) : [] // prettier-ignore
  const isMovable = right === 'move' || right.if !== undefined
  return { name: called, right, row, verdict, reasons, conditions, isMovable, isFalseMove: verdict === 'move' && !isNamed, needless } // prettier-ignore
}

/** The app holds the other conditions, and the classes of its errors that are to be registered are. */
function isToBeMoved({ conditions }, right) {
  const isHeld = (each) => each.kind !== 'error-class' || classToRegister(each) !== null
  return (right === 'move' || right.if !== undefined) && conditions.every(isHeld)
}

async function move(name, rows) {
  const folder = copyApp(name, 'moved')
  const original = join(copies, 'original')
  const inCopy = (file) => join(folder, '..', resolve(file).slice(original.length))
  const tasks = rows.map(({ task: { name, module } }) => ({
    name,
    module: pathToFileURL(resolve(module)).href,
  }))
  moveFunctions(rows.map((row) => ({ ...row, file: inCopy(row.file), conditions: row.conditions.map((each) => ({ ...each, file: inCopy(each.file) })) }))) // prettier-ignore
  const threadwise = new URL('../../build/index.js', import.meta.url).href
  const answers = await answersOf(name, 'original')
  const then = await answersOf(name, 'moved', { MOVED: JSON.stringify({ threadwise, tasks }), NODE_OPTIONS: `--import ${new URL('./moved-tasks.mjs', import.meta.url).href}` }) // prettier-ignore
  const apart = answers.flatMap((answer, at) => (answer.text === then[at].text ? [] : [{ path: answer.path, was: answer.text, is: then[at].text }])) // prettier-ignore
  const told = apart.length === 0 ? `${answers.length} of ${answers.length} answers are the same` : `FALSE, ${apart.length} of ${answers.length} answers differ, such as ${JSON.stringify(apart[0])}` // prettier-ignore
  return rows.map(({ task }) => ({ task: task.name, apart: apart.length, told }))
}

/** One after the other: what a request leaves behind, the next one finds. */
async function answersOf(name, copy, env = {}) {
  const { start, requests, count = REQUESTS, method, headers, body } = known[name]
  const port = await freePort()
  const folder = join(copies, copy, name)
  const app = spawn(process.execPath, [join(folder, start)], { env: { ...process.env, ...env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'inherit'] }) // prettier-ignore
  try {
    await untilListens(port)
    const answers = []
    for (let n = 0; n < count; n++) {
      const path = requests[n % requests.length]
      const url = `http://127.0.0.1:${port}${path}${path.includes('?') ? '&' : '?'}n=${n}`
      answers.push({ path, text: await ask(url, { method, headers, body }) })
    }
    return answers
  } finally {
    app.kill('SIGKILL')
  }
}

/** By a connection of its own, which no server closes meanwhile. */
async function ask(url, { method, headers, body }) {
  const sent = request(url, { method, headers, agent: false }).end(body)
  const [response] = await once(sent, 'response')
  return `${response.statusCode} ${await text(response)}`
}

async function untilListens(port) {
  const until = performance.now() + STARTS_MS
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/favicon.ico`, { signal: AbortSignal.timeout(10_000) })
      return
    } catch (error) {
      if (performance.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

function copyApp(name, copy) {
  const corpus = here('./corpus')
  const to = join(copies, copy)
  if (!existsSync(to)) mkdirSync(to, { recursive: true })
  for (const file of readdirSync(corpus))
    if (file.endsWith('.cjs')) cpSync(join(corpus, file), join(to, file))
  if (!existsSync(join(to, 'node_modules'))) cpSync(join(corpus, 'packages'), join(to, 'node_modules'), { recursive: true }) // prettier-ignore
  linkWorkspace(corpus, to)
  rmSync(join(to, name), { recursive: true, force: true })
  cpSync(join(corpus, name), join(to, name), { recursive: true })
  for (const file of readdirSync(join(to, name))) if (file.endsWith('.ts')) compile(join(to, name, file))
  return join(to, name)
}

/** Packages of the repository itself. */
function linkWorkspace(corpus, to) {
  cpSync(join(corpus, 'linked'), join(to, 'linked'), { recursive: true })
  for (const name of ['@shop/core', 'local-file']) {
    rmSync(join(to, 'node_modules', name), { recursive: true, force: true })
    mkdirSync(dirname(join(to, 'node_modules', name)), { recursive: true })
    symlinkSync(join(to, 'linked', name), join(to, 'node_modules', name))
  }
}

/** As compilers do. The source lies elsewhere, so that what is moved is what runs. */
function compile(file) {
  const { code } = transformSync(readFileSync(file, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    sourcefile: file,
  })
  writeFileSync(file.replace(/\.ts$/, '.js'), code)
  renameSync(file, `${file}.txt`)
}
