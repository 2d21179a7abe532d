// With --json - standard output is the JSON and nothing else, whatever the user's code prints.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { testFolder } from '../helpers/files.js'
import { measuredCodes, small, start } from '../helpers/program.js'

const prints = `
import { writeSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
console.log('loading')
process.stdout.write('more')
writeSync(1, 'straight to the file\\n')
execFileSync(process.execPath, ['-p', '1'], { stdio: 'inherit' })
`

test('of measure, where the workload and its tasks print as they load, and as they run', async (t) => {
  const path = testFolder(t)
  writeFileSync(path('tasks.mjs'), `${prints}\nexport const add = (a, b) => (console.log('add'), a + b)\n`)
  writeFileSync(path('add.workload.mjs'), `${prints}\nexport default { module: new URL('./tasks.mjs', import.meta.url), task: 'add', inputs: [[1, 2]] }\n`) // prettier-ignore
  const { code, stdout, stderr } = await start(['measure', path('add.workload.mjs'), ...small, '--json', '-'])
    .ended
  assert.ok(measuredCodes.includes(code), stderr)
  assert.equal(JSON.parse(stdout).version, 1)
})
