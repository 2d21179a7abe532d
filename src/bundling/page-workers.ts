// Pages: the file of a worker for each task module that `web` names, and the code that makes such a worker.
//
//   before   web(new URL('./tasks.js', import.meta.url))
//   after    web(() => new Worker(new URL('../node_modules/.cache/threadwise/HASH/tasks.worker.js', import.meta.url), { type: 'module' }))
//
// It is a file, and not a virtual module: for `new Worker()` Vite and webpack look for a path that stands in the code, and Vite builds workers without
// the plugins of the page.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { writeOwnOutputBelow } from '../user/own-output.js'

/** Path of the file of the worker, written if it is not yet there. `tasks`: path of the task module. */
export function writeWorker(tasks: string): string {
  const hash = createHash('sha256').update(tasks).digest('hex').slice(0, 8)
  const name = basename(tasks).replace(/\.\w+$/, '')
  const file = join(packagesOf(dirname(tasks)), '.cache/threadwise', hash, `${name}.worker.js`)
  const code = `import { serve } from 'threadwise/web/worker'
import * as tasks from ${JSON.stringify(wayTo(tasks, file))}

serve(tasks)
`
  // Not again: those who watch it would build again.
  if (existsSync(file) && readFileSync(file, 'utf8') === code) return file
  writeBeside(tasks, file, code)
  return file
}

/** A file that runs with a task module. Whoever owns the module, as in a folder that is mounted into a container, decides anyway what runs. */
export function writeBeside(tasks: string, file: string, code: string): void {
  writeOwnOutputBelow(file, code, [statSync(tasks).uid])
}

/** The node_modules from which the task module imports packages. */
export function packagesOf(folder: string): string {
  const packages = join(folder, 'node_modules')
  if (existsSync(packages)) return packages
  const parent = dirname(folder)
  return parent === folder ? join(process.cwd(), 'node_modules') : packagesOf(parent)
}

/** As an import of the file at `from` names another file. */
function wayTo(file: string, from: string): string {
  const way = relative(dirname(from), file).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}

/** An expression. `url`: another one, of the file of the worker. */
export function workerCode(url: string): string {
  return `() => new Worker(${url}, { type: 'module' })`
}

/** The same for bundlers that know `new Worker()`, in the module at `from`. */
export function makeWorkerFrom(file: string, from: string): string {
  return workerCode(`new URL(${JSON.stringify(wayTo(file, from))}, import.meta.url)`)
}
