// threadwise/web/headers: each server sends both headers, and so a page is isolated.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import express from 'express'
import fastify from 'fastify'
import {
  isolationConfig,
  isolationHeaders,
  isolationHook,
  isolationMiddleware,
  isolationRules,
} from 'threadwise/web/headers'

const sent = async (url) => {
  const { headers } = await fetch(url)
  return [headers.get('cross-origin-opener-policy'), headers.get('cross-origin-embedder-policy')]
}

test('Express and Fastify send them', async (t) => {
  const app = express().use(isolationMiddleware())
  app.get('/', (request, response) => response.send('page'))
  const server = createServer(app).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  assert.deepEqual(await sent(`http://127.0.0.1:${server.address().port}/`), ['same-origin', 'require-corp'])

  const other = fastify()
  t.after(() => other.close())
  other.addHook('onRequest', isolationHook({ embedder: 'credentialless' }))
  other.get('/', () => 'page')
  assert.deepEqual(await sent(await other.listen()), ['same-origin', 'credentialless'])
})

test('Vite, Next and nginx take them as they are', () => {
  const headers = isolationHeaders()
  const list = Object.entries(headers).map(([key, value]) => ({ key, value }))
  assert.equal(list.length, 2)
  assert.deepEqual(isolationRules(), [{ source: '/(.*)', headers: list }])
  assert.equal(isolationRules({}, '/app').at(0).source, '/app')
  const lines = list.map(({ key, value }) => `add_header ${key} "${value}" always;\n`)
  assert.equal(isolationConfig(), lines.join(''))
})

test('a word that no browser knows is refused', () => {
  assert.throws(() => isolationHeaders({ embedder: 'none' }), { code: 'TW_ERR_INVALID_OPTION' })
  assert.throws(() => isolationHeaders({ embeder: 'require-corp' }), { message: /did you mean embedder/ })
})
