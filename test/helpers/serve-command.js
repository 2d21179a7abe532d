// `threadwise serve` as a process of its own, with a runtime folder of its own.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { start } from './program.js'
import { program } from './services.js'
import { temporaryFolder } from './files.js'

/**
 * Starts it and waits until it serves. Gives { child, ended, url, run, log, said, variable }: `run` is another command for
 * the same user, `said` waits for a line on standard error, `variable` is in the environment of all its processes. `command`:
 * what follows `serve`, in place of the file and its options.
 */
export async function serveCommand(
  t,
  {
    text = program('hello'),
    args = [],
    via,
    env = {},
    instances = 2,
    file = 'server.mjs',
    until,
    command,
  } = {},
) {
  const folder = temporaryFolder(t)
  const path = join(folder, file)
  writeFileSync(path, text)
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const port = await freePort()
  const mark = `serve-test-${process.pid}-${port}`
  const all = {
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_STATE_HOME: join(folder, 'state'),
    PORT: String(port),
    THREADWISE_TEST: mark,
    ...env,
  }
  const { child, ended } = start(['serve', ...(command ?? [path, '-i', String(instances), ...args])], {
    env: all,
    via,
    limitMs: 110_000,
  })
  t.after(() => child.kill('SIGKILL'))
  const said = listener(child.stderr)
  await Promise.race([until ? said(until) : said(/ serves\n/, instances), ended])
  return {
    ...{ child, ended, said, folder, path, port, url: `http://127.0.0.1:${port}/` },
    variable: `THREADWISE_TEST=${mark}`,
    run: (...command) => start(command, { env: all }).ended,
  }
}

/** Waits until the text so far holds as many matches. */
function listener(stream) {
  let text = ''
  let waiting = []
  const holds = ({ pattern, times }) => [...text.matchAll(pattern)].length >= times
  stream.on('data', (data) => {
    text += data
    waiting = waiting.filter((entry) => {
      if (!holds(entry)) return true
      entry.resolve(text)
      return false
    })
  })
  return (pattern, times = 1) =>
    new Promise((resolve) => {
      const entry = { pattern: new RegExp(pattern, 'g'), times, resolve }
      if (holds(entry)) resolve(text)
      else waiting.push(entry)
    })
}

/** Whether a command runs here, such as one that needs rights. */
export function works(file, args) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'ignore' })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })
}
