// HTTP servers with known behaviour, in this process, closed with the test.
import { createServer } from 'node:http'
import { createServer as createRawServer } from 'node:net'

/** Closes a server together with its open connections when the test ends; gives what it listens on. */
export async function listen(t, server, place = { port: 0, host: '127.0.0.1' }) {
  const sockets = new Set()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise((resolve) => server.listen(place, resolve))
  return `http://127.0.0.1:${server.address().port}/`
}

/** `answer(request, response, number)` for each request; `count()` of those that came. */
export async function httpServer(t, answer = (_, response) => response.end('hello')) {
  let requests = 0
  const server = createServer((request, response) => answer(request, response, ++requests))
  return { url: await listen(t, server), count: () => requests }
}

/** `onRequest(socket, number)` for each request without a body, in the order of their arrival. */
export async function rawServer(t, onRequest) {
  let requests = 0
  let connections = 0
  const server = createRawServer((socket) => {
    connections++
    let text = ''
    socket.setEncoding('latin1').on('data', (data) => {
      const parts = (text + data).split('\r\n\r\n')
      text = parts.pop()
      for (let i = 0; i < parts.length; i++) onRequest(socket, ++requests)
    })
  })
  return { url: await listen(t, server), count: () => requests, connections: () => connections }
}

/**
 * Answers at once, but holds what comes within `stallMs` from `afterMs` on, counted from the first request. `answers` are the times of
 * its answers, by performance.now().
 */
export async function stallingServer(t, { afterMs, stallMs }) {
  const answers = []
  let start
  const server = await httpServer(t, (_, response) => {
    start ??= performance.now()
    const time = performance.now() - start
    const isStalled = time >= afterMs && time < afterMs + stallMs
    const answer = () => {
      answers.push(performance.now())
      response.end('hello')
    }
    setTimeout(answer, isStalled ? afterMs + stallMs - time : 0)
  })
  return { ...server, answers }
}
