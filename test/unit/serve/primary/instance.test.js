// An instance is a process that runs the user's code: what comes from it must not end this one.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { resolveServeOptions } from '../../../../build/serve/contract/resolve-options.js'
import { ServerInstance } from '../../../../build/serve/primary/instance.js'
import { createEntrance } from '../../../../build/serve/sticky/entrance.js'
import { temporaryFolder } from '../../../helpers/files.js'

test('what fails here when it listens ends the instance, with the reason', { timeout: 60_000 }, async (t) => {
  const file = join(temporaryFolder(t), 'server.mjs')
  writeFileSync(file, `import { createServer } from 'node:http'\ncreateServer().listen(0, '127.0.0.1')`)
  const instance = new ServerInstance({
    ...resolveServeOptions(file, { instances: 1 }),
    ...{ isShut: false, isGated: false, place: 0, startMark: '', entrance: createEntrance(null) },
    onTrouble() {},
    onListen(key) {
      throw new Error(`no ${key.split(':')[0]}`)
    },
  })
  t.after(() => instance.kill())
  await assert.rejects(instance.ready, { message: /by SIGKILL: what it listens on cannot be served \(no 127\.0\.0\.1\)/ }) // prettier-ignore
})
