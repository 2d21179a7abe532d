// Folders of apps with their packages from npm, and what else several scripts of this folder need.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'

/** A folder below `root` with the packages and files of an app; `build` is run there. */
export function install(root, name, { packages, files, scripts = {}, build }) {
  const folder = join(root, name.replaceAll(/\W/g, '-'))
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, scripts, ...(build && { type: 'module' }) })) // prettier-ignore
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  if (packages.length > 0) must('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder) // prettier-ignore
  if (build) must(join(folder, 'node_modules/.bin', build[0]), build.slice(1), folder)
  return folder
}

function must(file, args, cwd) {
  const { status } = spawnSync(file, args, { cwd, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`)
}

export async function freePort() {
  const server = createServer().listen(0)
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Processes with the mark in their environment. */
export function livingWith(mark) {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(mark))
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** Lines with columns of the same width. */
export function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  for (const row of rows) console.log(row.map((cell, column) => String(cell).padEnd(widths[column])).join('  ').trimEnd()) // prettier-ignore
}
