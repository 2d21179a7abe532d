// An app of test/fixtures/doctor in a folder of its own, in which threadwise is installed: to be diagnosed, changed and run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app } from './doctor-command.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** @param packages of this repository that it has, too */
export function installApp(name, folder, packages = []) {
  cpSync(app(name), folder, { recursive: true })
  const own = join(folder, 'node_modules/threadwise')
  mkdirSync(join(own, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(own, 'package.json'))
  // No link: what lies outside of node_modules would be the user's own code.
  for (const name of readdirSync(join(root, 'dist')).filter((each) => /\.c?js$|^chunks$/.test(each)))
    cpSync(join(root, 'dist', name), join(own, 'dist', name), { recursive: true })
  for (const each of packages)
    symlinkSync(join(root, 'node_modules', each), join(folder, 'node_modules', each))
}

/** Starts it; gives where it listens, which it prints. It ends with the test. */
export async function startApp(t, words, { cwd, env = {} }) {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`))),
  ])
  return line.trim()
}
