// Questions and answers over a control socket, and each way in which there is no answer.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { ThreadwiseError } from '../../../build/errors/errors.js'
import { connectTo, listenAt } from '../../../build/user/control-socket.js'
import {
  answerLines,
  askLine,
  errorOf,
  faultOf,
  isEnded,
  isNobody,
  isOdd,
  isSilent,
  LineConnection,
} from '../../../build/user/line-socket.js'
import { temporaryFolder } from '../../helpers/files.js'

const limit = { timeout: 30_000 }
const answers = { read: (line) => (line.startsWith('{') ? JSON.parse(line) : undefined), most: 1000 }

async function listening(t, welcome) {
  const path = join(temporaryFolder(t), 'control.sock')
  await new Promise((resolve, reject) => {
    const { server } = listenAt(path, welcome, (error) => (error ? reject(error) : resolve()))
    t.after(() => server.close())
  })
  return path
}

test('one connection carries many questions, in turn', limit, async (t) => {
  const path = await listening(t, (socket) =>
    answerLines(socket, 100, (line) => ({ heard: JSON.parse(line) })),
  )
  const connection = new LineConnection(path, answers)
  for (const number of [1, 2, 3]) {
    assert.ok(connection.isFree)
    const answered = connection.ask({ number })
    assert.ok(!connection.isFree)
    assert.deepEqual(await answered, { heard: { number } })
  }
  connection.close()
  await connection.closed
})

test('lines that come together are answered one after the other', limit, async (t) => {
  let running = 0
  const answer = async (line) => {
    assert.equal(++running, 1)
    await new Promise(setImmediate)
    running--
    return { line }
  }
  const path = await listening(t, (socket) => answerLines(socket, 100, answer))
  let text = ''
  const socket = connectTo(path, (connected) => {
    connected.setEncoding('utf8').on('data', (data) => (text += data))
    connected.write('a\nb\nc\n')
  })
  while (text.split('\n').length < 4) await once(socket, 'data')
  assert.equal(text, '{"line":"a"}\n{"line":"b"}\n{"line":"c"}\n')
  socket.destroy()
})

for (const [title, welcome, isSo] of [
  ['says nothing', () => {}, isSilent],
  ['gives a letter now and then', (socket) => dribble(socket), isSilent],
  ['ends', (socket) => socket.once('data', () => socket.destroy()), isEnded],
  ['answers with something else', (socket) => socket.write('HTTP/1.1 400\n'), isOdd],
  ['has no end', (socket) => socket.write('x'.repeat(1001)), isOdd],
])
  test(`of a side that ${title} one is told so`, limit, async (t) => {
    const path = await listening(t, welcome)
    await assert.rejects(askLine(path, {}, { ...answers, limitMs: 300 }), (error) => {
      const seen = [isSilent, isEnded, isOdd, isNobody].filter((is) => is(error))
      assert.deepEqual(seen, [isSo])
      return true
    })
  })

test('where nobody listens one is told so', limit, async (t) => {
  await assert.rejects(askLine(join(temporaryFolder(t), 'control.sock'), {}, answers), isNobody)
})

test('who sends a line without end is sent away', limit, async (t) => {
  const path = await listening(t, (socket) => answerLines(socket, 100, () => assert.fail('it is no line')))
  await assert.rejects(askLine(path, { text: 'x'.repeat(1000) }, answers), isEnded)
})

test('an error comes back as it was: of threadwise with its code, any other by its message', () => {
  const own = new ThreadwiseError('TW_ERR_SERVICE_STOPPED', { name: 'web' })
  const { code, message } = errorOf(JSON.parse(JSON.stringify(faultOf(own))))
  assert.deepEqual({ code, message }, { code: 'TW_ERR_SERVICE_STOPPED', message: own.message })
  assert.equal(errorOf(faultOf(new Error('no'))).message, 'no')
})

function dribble(socket) {
  const timer = setInterval(() => socket.write('{'), 20)
  socket.on('error', () => {}).on('close', () => clearInterval(timer))
}
