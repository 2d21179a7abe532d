// threadwise load on the real program.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { httpServer } from '../helpers/http-servers.js'
import { measuredCodes, run, start } from '../helpers/program.js'

const short = ['--duration', '1', '--warmup', '0']

function folderFor(t) {
  const folder = temporaryFolder(t)
  return folder
}

describe('threadwise load', () => {
  test('--json - prints the result as JSON and nothing else', async (t) => {
    const { url, count } = await httpServer(t)
    const { code, stdout, stderr } = await run(['load', url, '--rate', '50', ...short, '--json', '-'])
    assert.ok(measuredCodes.includes(code), `${code}: ${stderr}`)
    const result = JSON.parse(stdout)
    assert.deepEqual([result.version, result.loop, result.complete], [1, 'open', true])
    assert.deepEqual([result.requests, result.errors, count()], [50, 0, 50])
    assert.deepEqual(Object.keys(result.latency), ['p50', 'p90', 'p99', 'p999', 'max'])
    assert.ok(Object.values(result.latency).every((ms) => ms > 0))
    assert.ok(result.throughput > 0 && result.throughput <= 50, String(result.throughput))
    assert.ok(result.generatorCpu > 0 && result.generatorCpu <= 1.5, String(result.generatorCpu))
    assert.equal(result.limited, code === 3)
  })

  test('tells a person what was done, how fast, how long, what failed, and whether to believe it', async (t) => {
    const { url } = await httpServer(t, (_, response, number) => {
      response.statusCode = number % 2 === 0 ? 200 : 503
      response.end()
    })
    const { stdout } = await run(['load', url, '--rate', '50', ...short])
    assert.match(stdout, /^GET http:\/\/127\.0\.0\.1:\d+\/: 50 requests\/s due at even times, on at most 100/)
    assert.match(stdout.replaceAll('\n', ' '), /answered: 50 requests, no errors\./)
    assert.match(stdout, /^Latency, from when the request was due$/m)
    assert.match(stdout, /^ {2}p99 +~\d.* [um]?s {2}[█▏▎▍▌▋▊▉]+$/m)
    assert.match(stdout, /^ {2}status 200 +25\n {2}status 503 +25$/m)
    assert.match(stdout, /^50 % of the answers were refusals/m)
    assert.match(stdout, /^The generator /m)
    assert.doesNotMatch(stdout, new RegExp(String.fromCharCode(27)))
  })

  test('says when nothing answered, and no more', async () => {
    const { code, stdout } = await run(['load', 'http://127.0.0.1:1/', '--duration', '0.2', '--warmup', '0'])
    assert.equal(code, 1)
    assert.match(stdout, /ECONNREFUSED[^]*Nothing answered\. Is the server running/)
    assert.doesNotMatch(stdout, /flatter/)
  })

  test('says when what answers is no HTTP server', async (t) => {
    const server = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n')).listen(0)
    t.after(() => server.close())
    await once(server, 'listening')
    const { code, stdout } = await run(['load', `127.0.0.1:${server.address().port}`, '-n', '3'])
    assert.equal(code, 1)
    assert.match(stdout, /What came is no answer of HTTP\/1\.1\. Is this the address of an HTTP server/)
    assert.doesNotMatch(stdout, /Is the server running/)
  })

  test('says that a closed loop flatters', async (t) => {
    const { url } = await httpServer(t)
    const { stdout } = await run(['load', url, ...short, '--connections', '2'])
    assert.match(stdout, /as fast as it answers, on 2 connections/)
    assert.match(stdout, /these latencies flatter it/)
  })

  test('sends method, headers and a body from a file, and writes JSON beside the text', async (t) => {
    const folder = folderFor(t)
    writeFileSync(join(folder, 'post.json'), '{"a":1}')
    const seen = new Set()
    const { url } = await httpServer(t, async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      seen.add([request.method, request.headers.accept, request.headers['content-type'], body].join(' '))
      response.end()
    })
    const headers = ['--header', 'Content-Type: application/json', '--header', 'accept:text/html']
    const args = ['--method', 'put', ...headers, '--body', '@post.json', '--json', 'out.json']
    const { stdout } = await run(['load', url, '--rate', '10', ...short, ...args], { cwd: folder })
    assert.deepEqual([...seen], ['PUT text/html application/json {"a":1}'])
    assert.match(stdout, /^PUT http/)
    assert.equal(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')).requests, 10)
  })

  test('ends with 1 when no request succeeded', async (t) => {
    const { url } = await httpServer(t, (_, response) => {
      response.statusCode = 500
      response.end()
    })
    assert.equal((await run(['load', url, '--rate', '10', ...short])).code, 1)
    const nobody = await run(['load', 'http://127.0.0.1:1/', '--rate', '10', ...short])
    assert.equal(nobody.code, 1)
    assert.match(nobody.stdout, /connect +10 \(first: connect ECONNREFUSED 127\.0\.0\.1:1\)/)
  })

  test('ends with 1 then also where the generator was the bottleneck', async () => {
    const { code, stdout } = await run(['load', 'http://127.0.0.1:1/', '--connections', '64', '--warmup', '0', '--duration', '1.5']) // prettier-ignore
    assert.equal(code, 1, stdout)
  })

  test('says what is different from an earlier run', async (t) => {
    const folder = folderFor(t)
    const slow = await httpServer(t, (_, response) => setTimeout(() => response.end(), 30))
    const { url } = await httpServer(t)
    const file = join(folder, 'before.json')
    await run(['load', slow.url, ...short, '--connections', '2', '--json', file])
    const { stdout, code, stderr } = await run([
      'load',
      url,
      ...short,
      '--connections',
      '2',
      '--baseline',
      file,
    ])
    assert.ok(measuredCodes.includes(code), `${code}: ${stderr}`)
    if (code === 0)
      assert.match(
        stdout,
        /^Beside .*before\.json: \S+x the answers \(.* instead of .*\), p50 .* instead of .*, p99 /m,
      )
    const piped = await run(['load', url, ...short, '-n', '20', '--json', '-', '--baseline', file])
    JSON.parse(piped.stdout)
    assert.match(
      piped.stderr,
      /Not compared with .*: it had --connections 2, and this run has --connections 10/,
    )
    writeFileSync(file, '{}')
    const wrong = await run(['load', url, '--baseline', file])
    assert.deepEqual([wrong.code, /baseline must be a file that `threadwise load --json` has written/.test(wrong.stderr)], [2, true]) // prettier-ignore
  })

  test('as a gate: so many requests, and what is expected of them', async (t) => {
    const { url, count } = await httpServer(t, (_, response, number) => {
      response.statusCode = number % 10 === 0 ? 503 : 200
      response.end()
    })
    const gate = (...more) => run(['load', url, '-n', '20', '--connections', '1', ...more])
    const held = await gate('--expect', 'errors<=10%', '--expect', 'p99<10s')
    assert.deepEqual([held.code, held.stderr, count()], [0, '', 20])
    const missed = await gate('--expect', 'p99<0.001', '--expect', 'errors<1%', '--expect', 'max<1000s')
    assert.equal(missed.code, 1)
    assert.match(missed.stderr, /^Missed: p99<0\.001 was expected, and p99 is .* ms\.\nMissed: errors<1% was expected, and errors is 10\.00 %\.\n$/) // prettier-ignore
    const without = await gate()
    assert.deepEqual([without.code, /^Missed: 2 of 20 requests failed, more than 5 %/.test(without.stderr)], [1, true]) // prettier-ignore
    const wrong = await gate('--expect', 'p98<5')
    assert.deepEqual([wrong.code, /expect must be a figure/.test(wrong.stderr)], [2, true])
  })

  test('beyond what the server takes: timeouts fail the run', async (t) => {
    const { url } = await httpServer(t, (_, response, number) => number % 3 > 0 && response.end())
    const args = ['-n', '9', '--connections', '9', '--timeout', '4.9995']
    const { code, stderr } = await run(['load', url, ...args])
    assert.equal(code, 1)
    assert.match(stderr, /^Missed: 3 of 9 requests failed/)
  })

  test('says that redirects are not followed', async (t) => {
    const { url } = await httpServer(t, (_, response) => response.writeHead(302, { location: '/a' }).end())
    const { code, stdout } = await run(['load', url, '-n', '10'])
    assert.equal(code, 0)
    assert.match(stdout.replaceAll('\n', ' '), /100 % of the answers lead elsewhere \(redirects\), and are not followed/) // prettier-ignore
  })

  test('a rate at which no request is due says nothing about the server', async (t) => {
    const { url } = await httpServer(t)
    const { stdout } = await run(['load', url, '--rate', '0.05', '--duration', '0.5', '--warmup', '0.5'])
    assert.match(stdout, /No request was due in the measured time/)
    assert.doesNotMatch(stdout, /Is the server running/)
  })

  test(
    'Ctrl-C prints what is known and ends with 130',
    { skip: process.platform === 'win32' && 'no process can send it to another one there' },
    async (t) => {
      let child
      const { url } = await httpServer(t, (_, response, number) => {
        response.end()
        if (number === 20) child.kill('SIGINT')
      })
      const running = start(['load', url, '--rate', '20', '--warmup', '0', '--duration', '60', '--json', '-'])
      child = running.child
      const { code, stdout, stderr } = await running.ended
      assert.equal(code, 130)
      assert.match(stderr, /what is known so far follows/)
      const { complete, seconds, requests, unfinished } = JSON.parse(stdout)
      assert.equal(complete, false)
      assert.ok(requests >= 19, String(requests))
      assert.ok(
        Math.abs(requests + unfinished - 20 * seconds) <= 1,
        `${requests} and ${unfinished} in ${seconds} s`,
      )
    },
  )
})

describe('wrong usage ends with exit code 2 and says what was expected', () => {
  const wrong = [
    [['load'], /missing required argument 'url'/],
    [['load', 'ftp://localhost:3000'], /url must be an address that starts with http:\/\/ or https:\/\//],
    [['load', 'http://a/', '--rate', 'fast'], /It must be a number/],
    [['load', 'http://a/', '--rate', '0'], /rate must be a number of requests per second above 0/],
    [['load', 'http://a/', '--poisson'], /poisson must be false, or used together with rate/],
    [['load', 'http://a/', '--rate', '5', '--pipelining', '4'], /pipelining must be 1 when rate is given/],
    [['load', 'http://a/', '--connections', '0'], /connections must be a whole number/],
    [['load', 'http://a/', '--duration', '0'], /duration must be a number of seconds/],
    [['load', 'http://a/', '--header', 'Accept'], /It must be a name, a colon and a value/],
    [['load', 'http://a/', '--body', '@no-such-file'], /body must be text, or @ and a file that can be read/],
  ]
  for (const [args, pattern] of wrong) {
    test(`threadwise ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await run(args)
      assert.match(stderr, pattern)
      assert.deepEqual([code, stdout], [2, ''])
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
    })
  }
})
