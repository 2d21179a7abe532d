// Programs of Node by path, or by version: those come from npm into a temporary folder.

import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'
import { removedWithUs } from './removed-with-us.js'
import { runProgram } from './run-program.js'

export interface Nodes {
  readonly paths: string[]
  readonly release: () => void
}

interface Surroundings {
  readonly signal: AbortSignal | undefined
  readonly note: (text: string) => void
}

/** Such as 22, 22.12 or v24.1.0. */
const VERSION = /^v?(\d+(?:\.\d+){0,2})$/

/** @throws TW_ERR_VERSION_UNAVAILABLE, and then nothing is left behind */
export async function openNodes(given: readonly string[], surroundings: Surroundings): Promise<Nodes> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'threadwise-compare-')))
  const tellRemoved = removedWithUs(folder, folder, folder)
  const release = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    tellRemoved()
  }
  try {
    const paths: string[] = []
    for (const [index, node] of given.entries())
      paths.push(await pathOf(node, join(folder, String(index)), surroundings))
    return { paths, release }
  } catch (error) {
    release()
    throw error
  }
}

async function pathOf(node: string, folder: string, { signal, note }: Surroundings): Promise<string> {
  const [, version] = VERSION.exec(node) ?? []
  const path = version === undefined ? resolve(node) : await installed(version, { folder, signal, note })
  if (!existsSync(path))
    throw unavailable(node, 'there is no such program; give a path, or a version such as 24')
  const asked = await runProgram(path, ['--version'], { cwd: tmpdir(), signal })
  signal?.throwIfAborted()
  if (!/^v\d+\./.test(asked.output)) throw unavailable(node, `it is no Node that runs here: ${asked.problem}`)
  return path
}

/** The packages that npm's package `node` itself installs, one for each platform: they hold the program, and run no script. */
async function installed(
  version: string,
  { folder, signal, note }: Surroundings & { folder: string },
): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  note(`Getting Node ${version} from npm (${name}) ...`)
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`]
  const done = await runProgram('npm', args, { cwd: tmpdir(), signal })
  signal?.throwIfAborted()
  if (!done.isDone) throw unavailable(version, `npm could not install ${name}@${version}: ${done.problem}`)
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  return join(folder, 'node_modules', name, 'bin', program)
}

function unavailable(node: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_VERSION_UNAVAILABLE', { ref: `Node ${node}`, reason })
}
