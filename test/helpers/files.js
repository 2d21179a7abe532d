// A folder for one test, and waiting for a file that a worker writes: a barrier that works across threads and processes.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Its path. The folder goes with the test. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  t.after(() => {
    try {
      remove()
    } catch {
      // A program that the test ends after this writes there, or has it open. An error would keep node:test from ending that.
      process.once('exit', tryTo(remove))
    }
  })
  return folder
}

function tryTo(action) {
  return () => {
    try {
      action()
    } catch {
      // The system removes what lies in its folder for temporary files.
    }
  }
}

/** Gives the paths of files in a temporary folder, by their names. */
export function testFolder(t) {
  const folder = temporaryFolder(t)
  return (name) => join(folder, name)
}

/** Resolves once the file exists. The limit turns a bug into a failure instead of a hang. */
export async function fileExists(path, limitMs = 20_000) {
  const end = Date.now() + limitMs
  while (!existsSync(path)) {
    if (Date.now() > end) throw new Error(`${path} did not appear within ${limitMs} ms`)
    await delay(1)
  }
}

export const touch = (path) => writeFileSync(path, '')
