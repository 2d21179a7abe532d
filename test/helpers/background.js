// Services in the background, with folders of their own, which end with the test.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { livingWith } from './processes.js'
import { start } from './program.js'
import { program } from './services.js'
import { temporaryFolder } from './files.js'

/** Gives { run, env, folder, path, url, variable, state, logOf }: `run` is a command; an object at its end has options for it. */
export async function background(t, text = program('hello')) {
  const port = await freePort()
  const mark = `background-test-${process.pid}-${port}`
  const variable = `THREADWISE_TEST=${mark}`
  // Before the folder goes, in which they write.
  t.after(async () => {
    for (const pid of await livingWith(variable, 0)) killed(pid)
    await livingWith(variable)
  })
  const folder = temporaryFolder(t)
  const path = join(folder, 'server.mjs')
  writeFileSync(path, text)
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const env = {
    ...{ XDG_RUNTIME_DIR: join(folder, 'run'), XDG_STATE_HOME: join(folder, 'state') },
    ...{ PORT: String(port), THREADWISE_TEST: mark },
  }
  const state = join(folder, 'state/threadwise')
  return {
    ...{ env, folder, path, variable, state, port, url: `http://127.0.0.1:${port}/` },
    run(...words) {
      const options = typeof words.at(-1) === 'object' ? words.pop() : {}
      return start(words, { ...options, env: { ...env, ...options.env } }).ended
    },
    logOf(name) {
      const file = join(state, `${name}.log`)
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    },
  }
}

/** The same with a service `bot` that runs and listens on no port; `processes()`: how many it has. */
export async function bots(t) {
  const all = await background(t, 'setInterval(() => {}, 1000)')
  const start = ['serve', all.path, '--portless', '--name', 'bot', '--daemon']
  const started = await all.run(...start)
  assert.equal(started.code, 0, started.stderr)
  const processes = async () => (await livingWith(all.variable, 0)).length
  return { ...all, start, processes, folder: all.env.XDG_RUNTIME_DIR }
}

function killed(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
