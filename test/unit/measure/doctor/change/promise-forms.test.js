// Calls of Node's functions that block become calls of those that give a promise.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeOf } from './change-of.js'

const EXPRESS = { 'node_modules/express/package.json': '{"version":"5.1.0"}' }
const handler = (body) => `
const app = express()
app.get('/', ${body})
app.listen(process.env.PORT)
`
const file = (imports, body) => ({ 'server.js': `import express from 'express'\n${imports}${handler(body)}` })
const changed = (imports, body, more = {}) => changeOf({ ...EXPRESS, ...file(imports, body), ...more }, 'server.js home promise') // prettier-ignore

const written = {
  'of a whole module': [
    [`import fs from 'node:fs'`, `function home(req, res) { res.send(fs.readFileSync('a', 'utf8')) }`],
    [`import fs from 'node:fs'`, `async function home(req, res) { res.send(await fs.promises.readFile('a', 'utf8')) }`],
  ],
  'by a name, which its import no longer needs': [
    [`import { readFileSync } from 'node:fs'`, `function home(req, res) { res.send(readFileSync('a')) }`],
    [`import { promises } from 'node:fs'`, `async function home(req, res) { res.send(await promises.readFile('a')) }`],
  ],
  'by two names of one module': [
    [`import { existsSync, readFileSync, statSync } from 'fs'`, `function home(req, res) { res.send(existsSync('a') && readFileSync('a') + statSync('a').size) }`],
    [`import { existsSync, promises } from 'fs'`, `async function home(req, res) { res.send(existsSync('a') && await promises.readFile('a') + (await promises.stat('a')).size) }`],
  ],
  'by a name that is used elsewhere, too': [
    [`import { readFileSync } from 'node:fs'\nconst page = readFileSync('page')`, `function home(req, res) { res.send(page + readFileSync('a')) }`],
    [`import { readFileSync, promises } from 'node:fs'\nconst page = readFileSync('page')`, `async function home(req, res) { res.send(page + await promises.readFile('a')) }`],
  ],
  'with a callback, of a whole module': [
    [`import * as crypto from 'node:crypto'`, `function home(req, res) { res.send(crypto.scryptSync('a', 'b', 64).toString('hex')) }`],
    [`import * as crypto from 'node:crypto'\nimport { promisify } from 'node:util'\n\nconst scryptAsync = promisify(crypto.scrypt)`, `async function home(req, res) { res.send((await scryptAsync('a', 'b', 64)).toString('hex')) }`],
  ],
  'with a callback, by an other name': [
    [`import { gzipSync as zip } from 'zlib'`, `function home(req, res) { res.send(zip('a')) }`],
    [`import { gzip } from 'zlib'\nimport { promisify } from 'util'\n\nconst gzipAsync = promisify(gzip)`, `async function home(req, res) { res.send(await gzipAsync('a')) }`],
  ],
  'with what is imported already': [
    [`import { pbkdf2, pbkdf2Sync } from 'node:crypto'\nimport { promisify } from 'node:util'\nexport const slow = promisify(pbkdf2)`, `function home(req, res) { res.send(pbkdf2Sync('a', 'b', 1, 8, 'sha1')) }`],
    [`import { pbkdf2 } from 'node:crypto'\nimport { promisify } from 'node:util'\n\nconst pbkdf2Async = promisify(pbkdf2)\nexport const slow = promisify(pbkdf2)`, `async function home(req, res) { res.send(await pbkdf2Async('a', 'b', 1, 8, 'sha1')) }`],
  ],
  'with a name that is taken': [
    [`import { gzipSync } from 'zlib'\nexport const gzipAsync = 1`, `function home(req, res) { res.send(gzipSync('a')) }`],
    [`import { gzip } from 'zlib'\nimport { promisify } from 'util'\nexport const gzipAsync = 1`, `async function home(req, res) { res.send(await promisify(gzip)('a')) }`],
  ],
} // prettier-ignore

describe('a call that blocks waits elsewhere', () => {
  for (const [what, [before, after]] of Object.entries(written))
    test(what, () => {
      const { refused, files } = changed(...before)
      assert.equal(refused, undefined)
      assert.equal(files['server.js'], file(...after)['server.js'])
      assert.deepEqual(Object.keys(files), ['server.js'])
    })

  test('in CommonJS, in a function that a handler calls, of Express 4', () => {
    const files = {
      'package.json': '{}',
      'node_modules/express/package.json': '{"version":"4.21.0"}',
      'hash.js': `const { scryptSync } = require('crypto');\n\nexports.hash = function hash(word) {\n  return scryptSync(word, 'salt', 64).toString('hex');\n};\n`,
      'server.js': `const express = require('express');\nconst { hash } = require('./hash');\n\nconst app = express();\napp.get('/', (req, res) => res.send(hash(req.query.word)));\napp.listen(process.env.PORT);\n`,
    }
    const found = changeOf(files, 'hash.js hash promise')
    assert.equal(found.refused, undefined)
    assert.equal(found.files['hash.js'], `const { scrypt } = require('crypto');\nconst { promisify } = require('util');\n\nconst scryptAsync = promisify(scrypt);\n\nexports.hash = async function hash(word) {\n  return (await scryptAsync(word, 'salt', 64)).toString('hex');\n};\n`) // prettier-ignore
    assert.match(
      found.files['server.js'],
      /passErrors\(async \(req, res\) => res\.send\(await hash\(req\.query\.word\)\)\)/,
    )
    assert.deepEqual(Object.keys(found.files).sort(), ['hash.js', 'pass-errors.js', 'server.js'])
  })
})

const refusals = {
  'what changes files': [
    [`import fs from 'node:fs'`, `function home(req, res) { fs.writeFileSync('a', '1'); res.end() }`],
    /writeFileSync changes something/,
  ],
  'an option that the other form has not': [
    [`import fs from 'node:fs'`, `function home(req, res) { res.send(fs.statSync('a', { throwIfNoEntry: false })) }`],
    /options that its other form does not have/,
  ],
  'a name that is taken': [
    [`import { readFileSync } from 'node:fs'\nconst promises = []`, `function home(req, res) { promises.push(readFileSync('a')); res.end() }`],
    /another `promises`/,
  ],
  'what takes no promise': [
    [`import fs from 'node:fs'`, `function home(req, res) { res.send(['a'].filter((name) => fs.statSync(name).size)) }`],
    /a callback of filter, which takes no promise/,
  ],
  'a read beside a write': [
    [`import fs from 'node:fs'`, `function home(req, res) { const n = Number(fs.readFileSync('n')) + 1; fs.writeFileSync('n', String(n)); res.json(n) }`],
    /the app writes files, too \(writeFileSync\)/,
  ],
  'all files of a list at once': [
    [`import fs from 'node:fs'`, `function home(req, res) { res.json(['a'].map((name) => fs.readFileSync(name, 'utf8'))) }`],
    /would open all files at once/,
  ],
  'an open file': [
    [`import fs from 'node:fs'`, `function home(req, res) { const fd = fs.openSync('a'); res.send(fs.readFileSync(fd)) }`],
    /is given an open file/,
  ],
  'options by a name': [
    [`import fs from 'node:fs'\nconst QUIET = { throwIfNoEntry: false }`, `function home(req, res) { res.json(fs.statSync('a', QUIET)) }`],
    /options that its other form does not have/,
  ],
  'what blocks in a package': [
    [`import { hashSync } from 'bcrypt'`, `function home(req, res) { res.send(hashSync('a')) }`],
    /not in its own source/,
  ],
} // prettier-ignore

test('a module that is loaded within the function is used there', () => {
  const before = `export function zip(t) {\n  const zlib = require('zlib')\n  return zlib.gzipSync(t)\n}\n`
  const { files, refused } = changeOf({ 'zip.js': before }, 'zip.js zip promise')
  assert.equal(refused, undefined)
  assert.match(files['zip.js'], /return await promisify\(zlib\.gzip\)\(t\)/)
})

test('a parenthesis does not call what stands before it', () => {
  const body = `function home(req, res) {\n  const out = []\n  fs.readFileSync('a', 'utf8').split('').forEach((l) => out.push(l))\n  res.json(out)\n}`
  const { files } = changed(`import fs from 'node:fs'`, body)
  assert.match(files['server.js'], /\n {2};\(await fs\.promises\.readFile\('a', 'utf8'\)\)\.split/)
})

describe('refused with its reason', () => {
  for (const [what, [before, reason]] of Object.entries(refusals))
    test(what, () => assert.match(changed(...before).refused, reason))
})
