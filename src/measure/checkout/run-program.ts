// Runs a program to its end, with all that it starts: what it printed, or why it failed.

import { spawn } from 'node:child_process'
import { endGroupWithUs } from '../machine/end-group-with-us.js'

export interface Ran {
  readonly isDone: boolean
  readonly output: string
  /** The last lines that it printed, or why it did not start. */
  readonly problem: string
}

export interface RunPlace {
  readonly cwd: string
  readonly signal?: AbortSignal | undefined
}

const KEPT = 4_000_000
const LAST_LINES = 3
const hasGroups = process.platform !== 'win32'

/** Never rejects. What is aborted ends with its whole process group. */
export function runProgram(file: string, args: readonly string[], { cwd, signal }: RunPlace): Promise<Ran> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ isDone: false, output: '', problem: 'interrupted' })
    const child = spawn(file, args, {
      cwd,
      env: plainEnvironment(),
      detached: hasGroups,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: needsShell(file),
    })
    endGroupWithUs(child)
    let [output, words] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < KEPT) output += text
      words = (words + text).slice(-2000)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-2000)))
    const onAbort = () => kill(child.pid)
    signal?.addEventListener('abort', onAbort, { once: true })
    const end = (isDone: boolean, problem: string) => {
      signal?.removeEventListener('abort', onAbort)
      resolve({ isDone, output, problem: signal?.aborted ? 'interrupted' : problem })
    }
    child.once('error', ({ message }) => end(false, message))
    child.once('close', (code, by) =>
      end(code === 0, lastLines(words) || `it ended ${by ?? `with exit code ${code}`}`),
    )
  })
}

/** On Windows npm and its like are scripts, which only a shell runs. */
function needsShell(file: string): boolean {
  return !hasGroups && !/[\\/]/.test(file) && file !== 'git'
}

/** Inside a hook git names the repository, the index and more by variables: a command for another folder would change those. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, GIT_TERMINAL_PROMPT: '0' }
  for (const name of LOCAL) delete env[name]
  return env
}

/** As `git rev-parse --local-env-vars` lists them. */
const LOCAL = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_CONFIG_COUNT',
  'GIT_OBJECT_DIRECTORY',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
]

function kill(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(hasGroups ? -pid : pid, 'SIGKILL')
  } catch {
    // it has ended already
  }
}

function lastLines(words: string): string {
  const lines = words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.slice(-LAST_LINES).join(' ')
}
