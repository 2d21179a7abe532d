// What of an address is shown: never what opens it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatCommand } from '../../../build/cli/terminal/repeat-command.js'
import { withoutPassword } from '../../../build/primitives/without-password.js'

test('an address is shown without its user and its password, however they are written', () => {
  for (const [url, shown] of [
    ['redis://localhost:6379/2', 'redis://localhost:6379/2'],
    ['redis://:hunter2@host:1', 'redis://...@host:1'],
    ['redis://u:hun/ter2@host:1', 'redis://...@host:1'],
    ['redis://u:hun@ter2?x@host:1', 'redis://...@host:1'],
    ['redis+sentinel://u:p@a,b:2/name/2?sentinelPassword=p', 'redis+sentinel://...@a,b:2/name/2?sentinelPassword=...'],
    ['redis://host:1?Password=hunter2&db=2', 'redis://host:1?Password=...&db=2'],
    ['postgres://host/db?sslmode=require&sslkey=%2Fkey&password=a%26b', 'postgres://host/db?sslmode=require&sslkey=...&password=...'],
    ["host=db password='a b' user=u", 'host=db password=... user=u'],
  ])
    assert.equal(withoutPassword(url), shown)
}) // prettier-ignore

test('the command that repeats a run holds no password, whichever option an address belongs to', () => {
  for (const word of ['redis://:hunter2@h', '--connection=rediss://u:hunter2@h', '--connection=redis://h?PASSWORD=hunter2', 'https://u:hunter2@h/'])
    assert.doesNotMatch(repeatCommand('measure', ['tasks.js', word]), /hunter2/)
}) // prettier-ignore
