// A way to a store that can be cut, fall silent, and lead elsewhere: each connection through it is a pair of sockets.
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** `onData(data, pair)` sees what clients send, and may give milliseconds by which it comes later; a pair is `mute` (no answers), `dead` (nothing passes) or cut. Closed after the test. */
export async function openProxy(t, port) {
  const proxy = { port: 0, target: port, pairs: new Set(), onData() {} }
  const server = createServer((client) => {
    const store = connect(proxy.target, '127.0.0.1')
    let late // what comes behind that stays behind it
    const pair = {
      isMute: false,
      isDead: false,
      cut: () => [client, store].forEach((each) => each.destroy()),
    }
    proxy.pairs.add(pair)
    for (const each of [client, store]) each.on('error', () => {})
    client.on('data', (data) => {
      if (pair.isDead) return
      const ms = proxy.onData(data, pair)
      if (typeof ms === 'number') late = (late ?? Promise.resolve()).then(() => sleep(ms))
      if (late) void (late = late.then(() => store.write(data)))
      else store.write(data)
    })
    store.on('data', (data) => pair.isDead || pair.isMute || client.write(data))
    client.on('close', () => (store.destroy(), proxy.pairs.delete(pair)))
    store.on('close', () => pair.isDead || client.destroy())
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    for (const pair of proxy.pairs) pair.cut()
  })
  proxy.port = server.address().port
  return proxy
}
