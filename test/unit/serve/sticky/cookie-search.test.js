// A cookie is found in the first bytes of a connection, in whatever pieces they come.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCookieSearch, isCookieName } from '../../../../build/serve/sticky/cookie-search.js'

const request = (...lines) => ['GET /a?b=c HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n')

/** What is found, and how many bytes it took; all that was added must be kept. */
function find(text, { name = 'sid', step = Infinity } = {}) {
  const search = createCookieSearch(name)
  const all = Buffer.from(text, 'latin1')
  let found
  let end = 0
  while (found === undefined && end < all.length) {
    found = search.add(all.subarray(end, end + step))
    end = Math.min(all.length, end + step)
  }
  assert.deepEqual(search.bytes(), all.subarray(0, end))
  return { found, end }
}

const cases = [
  ['the only one', request('Cookie: sid=abc'), 'abc'],
  ['one of several', request('Cookie: a=1; sid=abc; b=2'), 'abc'],
  ['without a space, and with more', request('cOOkie:a=1;sid=abc;b=2'), 'abc'],
  ['around it', request('Cookie:   sid = abc  '), 'abc'],
  ['with = inside', request('Cookie: sid=a=b=='), 'a=b=='],
  ['in quotes', request('Cookie: sid="a b"'), '"a b"'],
  ['in the second header', request('Cookie: a=1', 'X-Y: z', 'Cookie: sid=abc'), 'abc'],
  ['the first of two', request('Cookie: sid=abc; sid=def', 'Cookie: sid=ghi'), 'abc'],
  ['the second, where the first is empty', request('Cookie: sid=; sid=def'), 'def'],
  ['bytes above 127', request('Cookie: sid=\xe9'), '\xe9'],
  ['lines that end in LF alone', request('Cookie: sid=abc').replaceAll('\r', ''), 'abc'],
  ['HTTP/1.0', request('Cookie: sid=abc').replace('1.1', '1.0'), 'abc'],
  ['none', request(), null],
  ['none, LF alone', request().replaceAll('\r', ''), null],
  ['an empty one', request('Cookie: sid='), null],
  ['one whose name goes on', request('Cookie: sid2=abc; xsid=abc; SID=abc; sid'), null],
  ['in another header', request('X-Cookie: sid=abc', 'Set-Cookie: sid=abc'), null],
  ['in the body', request('Content-Length: 15') + 'Cookie: sid=abc\r\n', null],
  ['in the second request', request() + request('Cookie: sid=abc'), null],
  ['TLS', '\x16\x03\x01\x02\x00\x01', null],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', null],
  ['PROXY protocol', `PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n${request('Cookie: sid=abc')}`, null],
  ['another protocol', 'PING\r\nCookie: sid=abc\r\n', null],
  ['a head that has not come yet', 'GET / HTTP/1.1\r\nCookie: sid=abc', undefined],
]

for (const [title, text, expected] of cases) {
  test(`${title}: ${expected}`, () => {
    for (const step of [Infinity, 7, 1]) assert.equal(find(text, { step }).found, expected)
  })
}

test('it takes no more than it needs', () => {
  const text = request('Cookie: sid=abc', 'X-Y: z')
  assert.equal(find(text, { step: 1 }).end, text.indexOf('X-Y'))
  assert.equal(find('\x16\x03\x01', { step: 1 }).end, 1)
  assert.equal(find('PING\r\nPING\r\n', { step: 1 }).end, 6)
})

test('a head is looked at up to 16 KB', () => {
  const long = (size) => request(`X-Y: ${'z'.repeat(size)}`, 'Cookie: sid=abc')
  for (const step of [Infinity, 1000, 1]) {
    assert.equal(find(long(16_000), { step }).found, 'abc')
    assert.equal(find(long(16_400), { step }).found, null)
    assert.equal(find('A'.repeat(20_000), { step }).found, null)
  }
  assert.equal(find(long(20_000), { step: 1 }).end, 16 * 1024)
})

test('names of cookies', () => {
  for (const name of ['sid', 'connect.sid', '__Host-id', "!#$%&'*+-.^_`|~1"])
    assert.ok(isCookieName(name), name)
  for (const name of ['', 'a b', 'a;', 'a=b', '"a"', 'ä', 'a\n', 'a,b']) assert.ok(!isCookieName(name), name)
  assert.equal(find(request('Cookie: axb=1; a.b=2'), { name: 'a.b' }).found, '2')
})
