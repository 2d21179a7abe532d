// Where a program waits for doctor, so that doctor finds it, and nobody else.
import assert from 'node:assert/strict'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { test } from 'node:test'
import { ownSocket, socketOf } from '../../../../../build/measure/doctor/register/registered-sockets.js'
import { temporaryFolder } from '../../../../helpers/files.js'

test('a program waits at a path of its own, in a folder that only its user reads', (t) => {
  const before = process.env.XDG_RUNTIME_DIR
  t.after(() => {
    if (before === undefined) delete process.env.XDG_RUNTIME_DIR
    else process.env.XDG_RUNTIME_DIR = before
  })
  process.env.XDG_RUNTIME_DIR = temporaryFolder(t)
  assert.equal(socketOf(process.pid), null, 'nobody waits yet')
  const path = ownSocket()
  assert.equal(basename(path), `${process.pid}.sock`)
  if (process.platform !== 'win32') assert.equal(statSync(dirname(path)).mode & 0o777, 0o700)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  assert.equal(socketOf(process.pid), path)
  assert.equal(ownSocket(), path)
  assert.equal(socketOf(process.pid), null, 'what a process of this number has left is gone')
})
