// Runs one test file with a Node of another platform, and tells of each of its cases.
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** Milliseconds for a whole file, on a slow machine. */
const FILE_MS = 400_000

/**
 * @typedef {object} Platform
 * @property {string} name with its version, as people call it
 * @property {(args: string[], options: object) => import('node:child_process').ChildProcess} start starts Node in the root of the project, with
 *   `env` and `stdio`
 * @property {(path: string) => string} pathThere how a file of this machine is called there
 * @property {(child: import('node:child_process').ChildProcess) => void} endAll ends the child and what it has started
 * @property {{ file: string, title: RegExp, reason: string, hangsOn?: string }[]} limits what the platform cannot do as it is here, and why; `hangsOn`:
 *   the executor on which the case would never end
 *
 * @param {Platform} platform
 * @param {string} file
 * @param {Record<string, string>} env
 * @returns {Promise<{ name: string, state: 'passed' | 'failed' | 'skipped', reason?: string }[]>}
 */
export async function runCases(platform, file, env) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-cases-'))
  const lines = join(folder, 'cases.jsonl')
  // Not a pipe: Node writes to none under Wine.
  const output = openSync(join(folder, 'output'), 'w')
  try {
    const reporter = new URL('cases-reporter.mjs', import.meta.url)
    const args = [
      `--test-reporter=./${reporter.pathname.slice(reporter.pathname.indexOf('/scripts/') + 1)}`,
      `--test-reporter-destination=${platform.pathThere(lines)}`,
      ...hanging(platform, file, env).map(({ title }) => `--test-skip-pattern=${title}`),
      file,
    ]
    const child = platform.start(args, { env, stdio: ['ignore', output, output] })
    const how = await ended(child, platform)
    const text = existsSync(lines) ? readFileSync(lines, 'utf8') : ''
    const cases = text.split('\n').filter(Boolean).map((line) => JSON.parse(line)) // prettier-ignore
    // Of a file without a case for this executor Node 20 writes no report.
    const isWhole = how === 0 || (how === 1 && cases.some(({ state }) => state === 'failed'))
    if (isWhole) return cases
    const said = readFileSync(join(folder, 'output'), 'utf8').slice(-3000)
    return [...cases, { name: 'the whole file', state: 'failed', reason: `it ended with ${how}\n${said}` }]
  } finally {
    closeSync(output)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The limits whose cases are not run: what comes after them would hang, too. */
export function hanging({ limits }, file, { THREADWISE_TEST_EXECUTORS }) {
  return limits.filter(
    (limit) =>
      limit.hangsOn !== undefined &&
      limit.file === basename(file, '.test.js') &&
      limit.hangsOn === THREADWISE_TEST_EXECUTORS,
  )
}

async function ended(child, platform) {
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    platform.endAll(child)
    child.kill('SIGKILL')
  }, FILE_MS)
  const how = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)))
  clearTimeout(timer)
  return isLate ? `a timeout of ${FILE_MS / 1000} s` : how
}
