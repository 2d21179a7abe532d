// The channel between an instance and its primary: what the app writes on it ends that instance at most, and the app sees nothing of ours.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 90_000 }
const isReady = ({ type }) => type === 'ready'

/** Code that an instance runs for a request to /break. */
const BROKEN = {
  'text that is no JSON': `writeSync(3, 'oops' + String.fromCharCode(10))`,
  bytes: `writeSync(3, Buffer.from([0, 0, 0, 3, 65, 66, 10]))`,
  'a message without an end': `const more = () => write(3, Buffer.alloc(2 ** 20, 65), more); more()`,
  'a message of node:cluster that makes it fail': `process.send({ cmd: 'NODE_CLUSTER', act: 'queryServer', address: { toString: 1 }, port: 'x', addressType: 4, fd: -7 })`,
  'a handle that is not there': `process.on('internalMessage', () => {}); process.send({ cmd: 'NODE_HANDLE', type: 'net.Socket', key: 'x' })`,
  'a message of ours that we do not send': `process.send({ cmd: 'NODE_THREADWISE', threadwise: 'news' })`,
  'a reply of ours that is none': `process.send({ cmd: 'NODE_THREADWISE', threadwise: 'load', load: 5 })`,
}

function broken(code) {
  return (
    `import { write, writeSync } from 'node:fs'\n` +
    program('hello').replace("'/slow'", "'/break'").replace('setTimeout(', 'breakIt(') +
    `\nfunction breakIt(answer) { try { ${code} } catch (error) { console.error(error) } answer() }`
  )
}

describe('an instance that writes', limit, () => {
  for (const [what, code] of Object.entries(BROKEN)) {
    test(`${what}: the service goes on, and another instance serves`, async (t) => {
      const { service: server, url, seen, events } = await service(t, broken(code))
      const gone = seen(({ type }) => type === 'gone')
      const ready = seen(isReady)
      await fetch(`${url}break`).catch(() => {})
      const { how } = await gone
      // Node's reply to a handle that is not there may end the instance first.
      assert.match(
        how,
        /by SIGKILL: what it wrote on its channel, descriptor 3, is no message \(.+\)|exit code 1/,
      )
      await ready
      for (let i = 0; i < 6; i++) assert.equal(await textOf(url), 'hello')
      assert.equal(server.status().state, 'serving')
      assert.equal(events.filter(({ type }) => type === 'gone').length, 1)
    })
  }
})

test(
  'the app gets no message of ours, and a listener that cannot read one harms nothing',
  limit,
  async (t) => {
    const text = program('hello') + `\nprocess.on('message', (message) => { JSON.parse(message) })`
    const { service: server, url } = await service(t, text)
    await server.reload()
    const { instances } = await server.inspect()
    assert.equal(instances.length, 2)
    assert.equal(await textOf(url), 'hello')
    assert.equal(server.status().crashes, 0)
  },
)
