// Runs the tests, or those under the given paths: node scripts/test.mjs test/contract
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function testFiles(path) {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .filter((name) => name !== 'fixtures' && name !== 'helpers')
    .flatMap((name) => testFiles(join(path, name)))
    .filter((file) => file.endsWith('.test.js'))
}

const wanted = process.argv.slice(2).map((path) => join(root, path))
const files = (wanted.length > 0 ? wanted : [join(root, 'test')]).flatMap(testFiles)
// The suites start processes and measure CPU limits: side by side on two cores they would disturb each other.
// The time is for a whole file, on a slow machine. The reporter that repeats what failed at the end, also where a log is cut.
const options = ['--test', '--test-concurrency=1', '--test-timeout=300000', '--test-reporter=spec']
const { status } = spawnSync(process.execPath, [...options, ...files], { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
