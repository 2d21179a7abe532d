// What is shown of the log of a service that could not start: the reason, and not what Node prints around it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lastLines } from '../../../../build/cli/background/background-record.js'
import { temporaryFolder } from '../../../helpers/files.js'

const programs = {
  'an error of the system': [`require('fs').readFileSync('/nowhere')`, /^Error: ENOENT: no such file/],
  'an error of a listener': [`const listen = () => require('net').createServer().listen(s.address().port); const s = require('net').createServer().listen(0, listen)`, /^Error: listen EADDRINUSE/],
  'an error with fields of its own': [`throw Object.assign(new Error('no table'), { table: 'users', tries: 3 })`, /^Error: no table/],
  'an error with a cause': [`throw new Error('no start', { cause: Object.assign(new Error('down'), { code: 'EDB' }) })`, /^Error: no start/],
} // prettier-ignore
for (const [title, [program, reason]] of Object.entries(programs)) {
  test(`of ${title}`, (t) => {
    const path = join(temporaryFolder(t), 'web.log')
    const { stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
    writeFileSync(path, stderr.replace(/^/gm, '2026-11-21T15:42:11.582Z [1 err] '))
    assert.ok(
      lastLines(path).some((line) => reason.test(line)),
      lastLines(path).join('\n'),
    )
  })
}
