// `threadwise doctor` in folders of its own. After each run nothing of the app may be left.
import assert from 'node:assert/strict'
import { mkdtempSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { livingWith } from './processes.js'
import { fixture, start } from './program.js'

export const app = (name) => fixture(`doctor/${name}`)

/** Gives { cwd, doctor, resultOf } for the tests of a file. Doctor writes what can move beside where it was started: into `cwd`. */
export function doctorCommand() {
  const cwd = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
  after(() => rmSync(cwd, { recursive: true, force: true }))
  let runs = 0

  /** `meanwhile(child)` begins with it. `cwd`: another folder than that of the tests. */
  async function doctor(args, { env = {}, meanwhile = () => {}, cwd: folder = cwd } = {}) {
    const marker = `TW_DOCTOR_${process.pid}_${++runs}`
    const temporary = join(cwd, marker)
    mkdirSync(temporary)
    const { child, ended } = start(['doctor', ...args], {
      cwd: folder,
      env: { ...env, TMPDIR: temporary, [marker]: '1' },
      limitMs: 150_000, // a busy machine takes twice as long for the proofs
    })
    const [end] = await Promise.all([ended, meanwhile(child)])
    assert.deepEqual(await livingWith(`${marker}=1`), [], 'no process is left')
    if (end.signal === null) assert.deepEqual(readdirSync(temporary), [], 'no folder is left')
    return end
  }

  async function resultOf(args, options) {
    const { stdout, code, stderr } = await doctor(['--json', '-', ...args], options)
    assert.match(stdout, /^\{/, stderr)
    return { code, result: JSON.parse(stdout) }
  }

  return { cwd, doctor, resultOf }
}
