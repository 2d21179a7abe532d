// The parser of responses: recorded bytes, cut at every place.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MalformedResponse, ResponseParser } from '../../../../build/measure/load/response-parser.js'

const crlf = (...lines) => `${lines.join('\r\n')}\r\n`
const ok = (...headers) => crlf('HTTP/1.1 200 OK', ...headers, '')

/** What the parser said of the bytes, given in these pieces. */
function parse(pieces, { isHead = false, ends = true } = {}) {
  const found = []
  const parser = new ResponseParser(isHead, (status, keepAlive) => found.push([status, keepAlive]))
  for (const piece of pieces) {
    // The buffer of a read is used again for the next one.
    const bytes = Buffer.from(piece, 'latin1')
    parser.feed(bytes)
    bytes.fill(0x58)
  }
  if (ends) parser.end()
  return found
}

const recorded = {
  'one length, said twice': [ok('Content-Length: 5, 5') + 'hello', [[200, true]]],
  'a length': [ok('Content-Length: 5') + 'hello', [[200, true]]],
  'no body': [ok('Content-Length: 0'), [[200, true]]],
  'a body that looks like a response': [ok('content-length:45') + ok('Content-Length: 3').padEnd(45), [[200, true]]], // prettier-ignore
  'two in one packet': [ok('Content-Length: 2') + 'hi' + crlf('HTTP/1.1 404 Not Found', 'Content-Length: 1', '') + 'x', [[200, true], [404, true]]], // prettier-ignore
  chunks: [ok('Transfer-Encoding: chunked') + crlf('5', 'hello', 'A;name="value"', '0123456789', '0', ''), [[200, true]]], // prettier-ignore
  'chunks with trailers': [ok('Transfer-Encoding: gzip, chunked') + crlf('3', 'a\r\n', '0', 'Digest: x', 'More: y', '') + ok('Content-Length: 0'), [[200, true], [200, true]]], // prettier-ignore
  'chunks and a length, which counts not': [ok('Content-Length: 3', 'Transfer-Encoding: chunked') + crlf('1', 'a', '0', ''), [[200, true]]], // prettier-ignore
  'the same length twice': [ok('Content-Length: 2', 'Content-Length: 2') + 'ab', [[200, true]]],
  'Connection: close': [ok('Connection: close', 'Content-Length: 1') + 'x' + 'what follows is ignored', [[200, false]]], // prettier-ignore
  'a body until the end': [ok('Content-Type: text/plain') + 'all of it', [[200, false]]],
  'another coding than chunked': [ok('Transfer-Encoding: gzip', 'Content-Length: 2') + 'zzzz', [[200, false]]], // prettier-ignore
  'HTTP/1.0': [crlf('HTTP/1.0 200 OK', 'Content-Length: 1', '') + 'x', [[200, false]]],
  'HTTP/1.0 with keep-alive': [crlf('HTTP/1.0 200 OK', 'Connection: Keep-Alive', 'Content-Length: 1', '') + 'x', [[200, true]]], // prettier-ignore
  'status 204': [crlf('HTTP/1.1 204 No Content', 'Content-Length: 9', '') + ok('Content-Length: 0'), [[204, true], [200, true]]], // prettier-ignore
  'status 304': [crlf('HTTP/1.1 304 Not Modified', 'Content-Length: 9', '') + ok('Content-Length: 0'), [[304, true], [200, true]]], // prettier-ignore
  'status 100 and 103 before the answer': [crlf('HTTP/1.1 100 Continue', '') + crlf('HTTP/1.1 103 Early Hints', 'Link: </a>', '') + ok('Content-Length: 1') + 'x', [[200, true]]], // prettier-ignore
  'lines without CR': ['HTTP/1.1 200 OK\nContent-Length: 2\n\nokHTTP/1.1 404 Not Found\nContent-Length: 4\n\n\r\n\r\n', [[200, true], [404, true]]], // prettier-ignore
  'chunks without CR': ['HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n', [[200, true]]],
  'an empty line after a body': [ok('Content-Length: 2') + 'ok\r\n' + ok('Content-Length: 0') + '\n\n' + ok('Content-Length: 0'), [[200, true], [200, true], [200, true]]], // prettier-ignore
  'a space before the colon': [ok('Content-Length : 5') + 'hello', [[200, true]]],
  'no reason phrase': [crlf('HTTP/1.1 200', 'Content-Length: 1', '') + 'x', [[200, true]]],
}

describe('every response is found, wherever its bytes are cut', () => {
  for (const [title, [text, expected]] of Object.entries(recorded)) {
    test(title, () => {
      assert.deepEqual(parse([text]), expected, 'whole')
      assert.deepEqual(parse([...text]), expected, 'byte by byte')
      for (let cut = 1; cut < text.length; cut++) {
        assert.deepEqual(parse([text.slice(0, cut), text.slice(cut)]), expected, `cut at ${cut}`)
      }
    })
  }

  test('answers to HEAD have no body, whatever they say', () => {
    const text = ok('Content-Length: 500') + ok('Transfer-Encoding: chunked')
    const expected = [[200, true], [200, true]] // prettier-ignore
    assert.deepEqual(parse([text], { isHead: true }), expected)
    assert.deepEqual(parse([...text], { isHead: true }), expected)
  })

  test('a body larger than any packet is skipped', () => {
    const part = 'x'.repeat(65_536)
    const pieces = [ok(`Content-Length: ${16 * part.length}`), ...Array.from({ length: 16 }, () => part)]
    assert.deepEqual(parse([...pieces, ok('Content-Length: 0')]).length, 2)
  })
})

describe('nothing is said before the last byte', () => {
  for (const title of ['a length', 'chunks', 'chunks with trailers', 'no body']) {
    test(title, () => {
      const [text, expected] = recorded[title]
      assert.equal(parse([text.slice(0, -1)], { ends: false }).length, expected.length - 1)
      assert.equal(parse([text.slice(0, -1)]).length, expected.length - 1, 'nor when the connection ends')
    })
  }

  test('a body until the end', () => {
    assert.deepEqual(parse([recorded['a body until the end'][0]], { ends: false }), [])
  })
})

describe('what is not HTTP is refused', () => {
  const wrong = {
    'another protocol': '220 mail.example ESMTP\r\n',
    'HTTP/2': 'HTTP/2 200\r\n\r\n',
    'a status without three digits': 'HTTP/1.1 20 OK\r\n\r\n',
    'a length that is no number': ok('Content-Length: -5'),
    'two lengths': ok('Content-Length: 5', 'Content-Length: 6'),
    'two lengths in one': ok('Content-Length: 5, 7'),
    'a chunk without a size': ok('Transfer-Encoding: chunked') + crlf('zz'),
    'a chunk longer than it says': ok('Transfer-Encoding: chunked') + crlf('2', 'abc', '0', ''),
    'a switch of protocols': crlf('HTTP/1.1 101 Switching Protocols', ''),
    'a head without an end': `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`,
    'a chunk size without an end': ok('Transfer-Encoding: chunked') + '1;'.padEnd(70_000, 'x'),
    'trailers without an end': ok('Transfer-Encoding: chunked') + `0\r\n${'A: b\r\n'.repeat(30_000)}`,
  }
  for (const [title, text] of Object.entries(wrong)) {
    test(title, () => {
      assert.throws(() => parse([text]), MalformedResponse)
      const pieces = text.match(/[^]{1,1000}/g)
      assert.throws(() => parse(text.length > 1000 ? pieces : [...text]), MalformedResponse)
    })
  }

  test('at the first wrong byte, not when a timeout is over', () => {
    assert.throws(() => parse(['X'], { ends: false }), /does not start with HTTP/)
  })
})
