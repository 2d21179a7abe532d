// A function and the data that its file reads when it is loaded go to a file beside it, where the data is found as before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf } from './change-of.js'

const EXPRESS = { 'node_modules/express/package.json': '{"version":"5.1.0"}' }

test('in CommonJS, by __dirname', () => {
  const server = `const fs = require('fs')
const path = require('path')
const express = require('express')

const csv = fs.readFileSync(path.join(__dirname, 'sales.csv'), 'utf8')

function top(n) {
  return csv.split('\\n').length * n
}

const app = express()
app.get('/', (req, res) => res.json(top(3)))
app.get('/raw', (req, res) => res.send(csv))
app.listen(3000)
`
  const { files, refused } = changeOf({ ...EXPRESS, 'package.json': '{}', 'server.js': server }, 'server.js top') // prettier-ignore
  assert.equal(refused, undefined)
  assert.match(files['server.tasks.js'], /const csv = fs\.readFileSync\(path\.join\(__dirname, 'sales\.csv'\), 'utf8'\)/) // prettier-ignore
  assert.match(files['server.js'], /const \{ csv \} = require\('\.\/server\.tasks'\)/)
  assert.match(files['server.js'], /res\.json\(await pool\.tasks\.top\(3\)\)/)
})

test('as an ES module, by import.meta.url', () => {
  const server = `import { readFileSync } from 'node:fs'
import express from 'express'

const rows = JSON.parse(readFileSync(new URL('./sales.json', import.meta.url), 'utf8'))

function top(n) {
  return rows.length * n
}

const app = express()
app.get('/', (req, res) => res.json(top(3)))
app.listen(3000)
`
  const { files, refused } = changeOf({ ...EXPRESS, 'server.js': server }, 'server.js top')
  assert.equal(refused, undefined)
  assert.match(files['server.tasks.js'], /readFileSync\(new URL\('\.\/sales\.json', import\.meta\.url\), 'utf8'\)/) // prettier-ignore
  assert.doesNotMatch(files['server.js'], /readFileSync/)
})

test('not what is made of the name of the file itself', () => {
  const server = `const express = require('express')
const stem = __filename.slice(0, -3)
function top(n) {
  return stem + n
}
const app = express()
app.get('/', (req, res) => res.json(top(3)))
app.listen(3000)
`
  const { refused } = changeOf({ ...EXPRESS, 'package.json': '{}', 'server.js': server }, 'server.js top')
  assert.match(refused, /uses __filename/)
})

for (const head of ['', 'export '])
  test(`not what is read after something else was done: ${head}const`, () => {
    const server = `import express from 'express'
import dotenv from 'dotenv'
dotenv.config()
${head}const LIMIT = Number(process.env.LIMIT ?? 3)
function top(n) {
  return LIMIT * n
}
const app = express()
app.get('/', (req, res) => res.json(top(3)))
app.listen(3000)
`
    const { refused, place } = changeOf({ ...EXPRESS, 'server.js': server }, 'server.js top')
    assert.match(refused, /read after something else was done/)
    assert.equal(place, 'server.js:3')
  })
