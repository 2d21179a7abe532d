// Commands, paths and messages of an app, as doctor shows them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { shownCommand, shownMessage, shownPath } from '../../../../build/measure/doctor/shown-words.js'

describe('shown words of the app', () => {
  test('are of a command its program, its file, its options and short numbers', () => {
    for (const [given, shown] of [
      ['node package.json --api-key=abc --port 3000 --token abc -pabc production', 'node package.json --api-key=... --port 3000 --token ... -p... ...'],
      ['npm run start:prod -- --pin 4711 --pin=4711', 'npm run start:prod -- --pin ... --pin=...'],
      ['env API=1 node --import tsx --max-old-space-size=2048 package.json abc', 'env API=... node --import tsx --max-old-space-size=2048 package.json ...'],
      ['npx tsx server.ts hunter2', 'npx tsx server.ts ...'],
      ['bash -c true', 'bash -c ...'],
    ])
      assert.equal(shownCommand(given.split(' ')).join(' '), shown)
  }) // prettier-ignore

  test('are of a path its words and short numbers', () => {
    for (const [given, shown] of [
      ['/', '/'],
      ['/rate?token=abc&page=2&q=abc&abcdef', '/rate?token=...&page=2&q=...&...'],
      ['/api/v1/users/9f8a7bc2de/report.html#abc', '/api/v1/users/.../report.html'],
      ['/users/ann@example.org', '/users/...'],
      ['/reset/GEHEIMESWORT', '/reset/...'],
      ['/pin?pin=4711', '/pin?pin=...'],
    ])
      assert.equal(shownPath(given), shown)
  })

  test('are of a message what the program says, without what it quotes', () => {
    for (const [given, shown] of [
      ['Error: cannot connect to postgres://app:s3cr3tpw@db.internal:5432/shop?x=1', 'Error: cannot connect to postgres://...@db.internal:5432/...'],
      ['Error: listen EADDRINUSE: address already in use 127.0.0.1:3000', null],
      ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from package.json", null],
      ["TypeError: Cannot read properties of undefined (reading 'foo')", null],
      ['Invalid API key: sk_live_abc and more', 'Invalid API key: ...'],
      ['JsonWebTokenError: invalid signature', null],
      [`SyntaxError: Unexpected token 'N', "{"name":"Ann Lee"" is not valid JSON`, "SyntaxError: Unexpected token 'N', ..."],
      [`SyntaxError: Unexpected token 'N', ..."ame":"Ann"... is not valid JSON`, "SyntaxError: Unexpected token 'N', ... is not valid JSON"],
      ['DATABASE_URL must be set', null],
      ['login failed for ann@example.org with hunter2x', 'login failed for ... with ...'],
      ['invalid input: "Ann Lee"', 'invalid input: "..."'],
      ['connect failed: user=app password=abc host=db', 'connect failed: user=app password=...'],
      ['4111111111111111 is refused', '... is refused'],
    ])
      assert.equal(shownMessage(given), shown ?? given)
  }) // prettier-ignore
})
