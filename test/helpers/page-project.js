// A page of the documentation as a user follows it: its files in an empty folder where the package is installed, and its commands.
import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blocksOf, root } from '../docs/pages.js'
import { temporaryFolder } from './files.js'
import { freePort } from './free-port.js'
import { start } from './program.js'

/** @returns folder, the lines of the shell, `threadwise(line)` to start one, and `serve(file)` to start a program until the test ends. */
export async function pageProject(t, markdown, packages = ['express']) {
  const folder = temporaryFolder(t)
  const blocks = blocksOf(markdown)
  for (const { marks, text } of blocks) {
    const name = marks.file ?? marks.run
    if (!name) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'node_modules'))
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  symlinkSync(root, join(folder, 'node_modules/threadwise'), 'junction')
  for (const name of packages)
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  const port = await freePort()
  const env = { PORT: String(port), XDG_RUNTIME_DIR: join(folder, 'run'), XDG_STATE_HOME: join(folder, 'state') } // prettier-ignore
  return { folder, blocks, port, threadwise: runs(folder, port, env), serve: serves(t, folder, port, env) }
}

/** The lines that a reader types. */
export const commandsOf = (blocks) =>
  blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().replace(/\\\n/g, ' ').split('\n'))
    .map((line) => line.split(' #')[0].trim())

/** `npx threadwise ...`, with more options behind that make it short. */
const runs =
  (folder, port, env) =>
  (line, short = []) =>
    start([...wordsOf(line.replace(':3000', `:${port}`)).slice(2), ...short], { cwd: folder, env, limitMs: 120_000 }) // prettier-ignore

const wordsOf = (line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain)

const serves = (t, folder, port, env) => async (file) => {
  const child = spawn(process.execPath, [file], { cwd: folder, env: { ...process.env, ...env }, stdio: 'inherit' }) // prettier-ignore
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(end)
  const ask = async (path) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: response.status, text: await response.text() }
  }
  for (let left = 600; ; left--) {
    const answer = await ask('/').catch(() => null)
    if (answer) return { ask, end }
    if (left === 0 || child.exitCode !== null) throw new Error(`${file} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
