// Runs the command line as a user would, within a time limit.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
export const fixture = (name) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

/** Exit codes of a run that measured: 3 says that this machine was too busy for a verdict, which tests must accept. */
export const measuredCodes = [0, 3]

/** The smallest measurement: a round of two cells and the second inline one. */
export const small = ['--quick', '--rounds', '1', '--executors', 'threads', '--sizes', '1', '--seed', '1']

/** Smaller still: inline beside itself. */
export const smallInline = ['--quick', '--rounds', '1', '--executors', 'inline', '--seed', '1']

/** Two workers beside inline, and no figure is precise enough before the budget is over. */
export const undecided = ['--sizes', '2', '--worth', '1.01', '--precision', '0.001']

/** Of an experiment: as short, and with the time for it on any machine; to be run with `labLimitMs`. */
export const fiveRounds = ['--rounds', '5', '--budget', '100']
export const labLimitMs = 150_000

/** What each child has said so far. */
const outputs = new WeakMap()

/** Starts the program; `ended` gives { code, signal, stdout, stderr }. `via` is a command to run it by: [file, ...args]. */
export function start(args, { env = {}, cwd, via = [], limitMs = 60_000 } = {}) {
  const [file, ...rest] = [...via, process.execPath, program, ...args]
  const child = spawn(file, rest, { cwd, env: { ...plainEnvironment(), ...env } })
  const ended = new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' }
    outputs.set(child, output)
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${args.join(' ')} took more than ${limitMs} ms: ${output.stderr}`))
    }, limitMs)
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, ...output })
    })
  })
  return { child, ended }
}

export const run = (args, options) => start(args, options).ended

/** Of a child of `start`: resolves once its standard error holds a match. */
export function stderrSays(child, pattern) {
  return new Promise((resolve, reject) => {
    const output = outputs.get(child)
    const look = () => pattern.test(output.stderr) && resolve(output.stderr)
    look()
    child.stderr.on('data', look)
    child.on('close', () => reject(new Error(`it ended without saying ${pattern}: ${output.stderr}`)))
  })
}

/** Asks once more until it ends: what follows the first signal within a moment does not count. Of a child of `start`. */
export async function signalUntilEnded({ child, ended }, signal) {
  const timer = setInterval(() => child.kill(signal), 50)
  return ended.finally(() => clearInterval(timer))
}

function plainEnvironment() {
  const env = { ...process.env }
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'THREADWISE_CPUS', 'NODE_OPTIONS', 'NODE_TEST_CONTEXT'])
    delete env[name]
  // By which a lane makes another platform of this one: scripts/testing/platforms.
  const { THREADWISE_TEST_NODE_OPTIONS: platform } = env
  return platform ? { ...env, NODE_OPTIONS: platform } : env
}
