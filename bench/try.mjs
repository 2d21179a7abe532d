// Checks `doctor --try` on apps of known answer.
//
//   node bench/try.mjs                  every app (about a minute and a half each)
//   node bench/try.mjs fastify getter   these apps
//   node bench/try.mjs --json out.json  what was found
//
// A patch that is offered has to apply, to keep all answers, and to gain about as much in a run of `load` by itself. No patch may be offered for a
// trap, or where moving loses. At least 80 % of those that should move are to be moved. Gains need a quiet machine with two CPUs.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs' // prettier-ignore
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { apps } from './try/apps.mjs'

const own = fileURLToPath(new URL('..', import.meta.url))
const main = join(own, 'dist/cli/main.js')
const MIN_MOVED = 0.8
const RATE = 20
const LOAD_SECONDS = 20
const PATHS = ['/report', '/health=3']

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } })
const chosen = apps.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const home = realpathSync(mkdtempSync(join(tmpdir(), 'threadwise-bench-try-')))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))

const found = []
for (const app of chosen) {
  const result = await tryApp(app)
  found.push(result)
  console.log(`${result.holds ? 'holds' : 'FAILS'}  ${app.name} (${app.expected}, load ${loadavg()[0].toFixed(1)}): ${result.text}`) // prettier-ignore
  if (values.json) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`)
}
const movable = found.filter(({ expected }) => expected === 'patch')
const moved = movable.filter(({ isMoved }) => isMoved)
console.log(`${moved.length} of ${movable.length} that should move are moved; of these the gain by \`load\` itself lies within the interval ${moved.filter(({ isWithin }) => isWithin).length} times`) // prettier-ignore
process.exitCode = found.every(({ holds }) => holds) && moved.length >= MIN_MOVED * movable.length ? 0 : 1

async function tryApp({ name, expected, says, files, packages, command = ['node', 'server.js'] }) {
  const folder = join(home, name)
  for (const [file, text] of Object.entries({
    'package.json': '{"type":"module","private":true}',
    ...files,
  })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  install(folder, packages)
  const json = join(home, `${name}.json`)
  const words = ['doctor', ...PATHS.flatMap((path) => ['--path', path]), '--rate', String(RATE), '--try', '--json', json] // prettier-ignore
  const { stderr } = spawnSync(process.execPath, [main, ...words, '--', ...command], { cwd: folder, encoding: 'utf8', timeout: 300_000 }) // prettier-ignore
  if (!existsSync(json)) return { name, expected, holds: false, isMoved: false, text: stderr.slice(-300) }
  const { trial, functions } = JSON.parse(readFileSync(json, 'utf8'))
  if (trial === null) return { name, expected, holds: false, isMoved: false, text: 'there was no trial' }
  const text = trial.sentence
  if (expected !== 'patch') {
    const reasons = JSON.stringify([trial.refused, functions.map(({ reasons }) => reasons)])
    const isSaid = expected === 'loses' || says.test(reasons)
    return { name, expected, holds: trial.patch === null && isSaid, isMoved: false, text: `${text} ${isSaid ? '' : reasons}`, trial } // prettier-ignore
  }
  if (trial.patch === null)
    return { name, expected, holds: true, isMoved: false, text: `not moved: ${text}`, trial }
  const again = await repeat(folder, { command, trial })
  return { name, expected, holds: again.holds, isWithin: again.isWithin, isMoved: true, text: `${text} ${again.text}`, trial } // prettier-ignore
}

function install(folder, packages) {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(own, join(folder, 'node_modules/threadwise'), 'junction')
  if (packages.length === 0) return
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-save', ...packages], { cwd: folder, encoding: 'utf8' }) // prettier-ignore
  if (status !== 0) throw new Error(stderr)
  const place = join(folder, 'node_modules/threadwise')
  if (!existsSync(place)) symlinkSync(own, place, 'junction') // npm removes what it does not know
}

/** The ratio of /health's p99, by `load` alone, before and after `git apply`. */
async function repeat(folder, { command, trial }) {
  const before = await loaded(folder, command)
  writeFileSync(join(folder, 'threadwise.patch'), trial.patch)
  const { status, stderr } = spawnSync('git', ['apply', 'threadwise.patch'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) return { holds: false, text: `The patch does not apply: ${stderr}` }
  const after = await loaded(folder, command)
  const isSame = before.answers.every((answer, index) => answer === after.answers[index])
  const told = trial.ratios.find(({ metric, path }) => metric === 'p99' && path === '/health')
  const ratio = after.p99 / before.p99
  const isWithin = told !== undefined && ratio >= told.ratio.low && ratio <= told.ratio.high
  const holds = isSame && (told?.verdict !== 'faster' || ratio < 1)
  const said = told ? `${told.ratio.value.toFixed(2)} (${told.ratio.low.toFixed(2)} to ${told.ratio.high.toFixed(2)})` : 'unknown' // prettier-ignore
  return { holds, isWithin, text: `p99 of /health by itself ${ratio.toFixed(2)} (${after.p99.toFixed(1)} and ${before.p99.toFixed(1)} ms), in the trial ${said}; answers ${isSame ? 'the same' : 'DIFFER'}.` } // prettier-ignore
}

async function loaded(folder, [file, ...args]) {
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const child = spawn(file, args, { cwd: folder, env: { ...process.env, PORT: String(port) }, stdio: 'ignore', detached: true }) // prettier-ignore
  const origin = `http://127.0.0.1:${port}`
  try {
    for (let i = 0; i < 150; i++) {
      if (await fetch(`${origin}/health`).catch(() => null)) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const answers = []
    for (const path of ['/report', '/health']) answers.push(await (await fetch(origin + path)).text())
    const json = join(home, 'load.json')
    // At random times: those of even ones meet at each turn, or never.
    const due = (rate, seconds) => ['--poisson', '--rate', String(rate), '--warmup', '3', '--duration', String(seconds)] // prettier-ignore
    const heavy = spawn(process.execPath, [main, 'load', `${origin}/report`, ...due(5, LOAD_SECONDS + 1)], { stdio: 'ignore' }) // prettier-ignore
    spawnSync(process.execPath, [main, 'load', `${origin}/health`, ...due(15, LOAD_SECONDS), '--json', json], { stdio: 'ignore' }) // prettier-ignore
    await new Promise((resolve) => heavy.once('close', resolve))
    return { answers, p99: JSON.parse(readFileSync(json, 'utf8')).latency.p99 }
  } finally {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    else console.error(`the app ended with exit code ${child.exitCode}`)
  }
}
