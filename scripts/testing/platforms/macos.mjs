// macOS: this machine, or Linux without what macOS has not. Timing, the scheduler and the file system of macOS are not shown by that.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Programs of Linux that macOS has not. */
const MISSING = [
  'taskset',
  'setsid',
  'systemd-run',
  'systemctl',
  'unshare',
  'nsenter',
  'prlimit',
  'nproc',
  'ionice',
  'chrt',
]

/** @returns {import('../run-cases.mjs').Platform} */
export function macos() {
  const isReal = process.platform === 'darwin'
  if (!isReal && process.platform !== 'linux') throw new Error('The lane needs macOS, or Linux.')
  const env = isReal ? process.env : withoutLinux()
  return {
    name: isReal ? 'macOS' : 'macOS (Linux without what macOS has not)',
    start: (args, { env: more, stdio }) =>
      spawn('nice', [process.execPath, ...args], {
        cwd: root,
        env: { ...env, ...more },
        stdio,
        detached: true,
      }),
    pathThere: (path) => path,
    endAll: (child) => endGroup(child.pid),
    limits: [],
  }
}

function withoutLinux() {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-macos-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  linkPrograms(folder)
  const preload = fileURLToPath(new URL('macos-preload.cjs', import.meta.url))
  const options = `--require=${preload}`
  const own = {
    XDG_RUNTIME_DIR: undefined,
    XDG_STATE_HOME: undefined,
    PATH: folder,
    ESBUILD_BINARY_PATH: esbuild(),
  }
  return { ...process.env, ...own, NODE_OPTIONS: options, THREADWISE_TEST_NODE_OPTIONS: options }
}

/** The path of what runs here: esbuild looks for a program of the platform that it sees. */
function esbuild() {
  return join(root, `node_modules/@esbuild/linux-${process.arch}/bin/esbuild`)
}

function linkPrograms(folder) {
  for (const from of process.env.PATH.split(':')
    .filter((path) => path !== '')
    .toReversed())
    for (const name of namesIn(from)) {
      if (MISSING.includes(name)) continue
      rmSync(join(folder, name), { force: true })
      symlinkSync(join(from, name), join(folder, name))
    }
}

function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // all of it has ended
  }
}
