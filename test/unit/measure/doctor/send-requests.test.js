// The requests that an app gets while doctor looks at it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { resolveDoctor } from '../../../../build/measure/doctor/options.js'
import { createRequests, rateFor } from '../../../../build/measure/doctor/send-requests.js'

/** A server that answers with `status`, and what it was asked for since that was asked last. */
async function listen(status) {
  let asked = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(status).end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => (server.close(), server.closeAllConnections()))
  const take = () => [asked, (asked = [])][0]
  return { place: { origin: `http://127.0.0.1:${server.address().port}`, socket: null }, take, server }
}

const optionsFor = (paths) => resolveDoctor({ words: [import.meta.filename], paths, rate: 50 })

describe('the requests of doctor', () => {
  test('ask each path once', async () => {
    const { place, take } = await listen(200)
    const requests = await createRequests(place, optionsFor(['/a', '/b']))
    take()
    await requests.once()
    assert.deepEqual(take().toSorted(), ['/a', '/b'])
    assert.ok(requests.answerMs > 0)
  })

  test('fail where the app refuses them at the full rate: at another one doctor makes it slow', async () => {
    const { place, server } = await listen(503)
    const requests = await createRequests(place, optionsFor(['/a']))
    const answered = () =>
      new Promise((resolve) => {
        let left = 5 // the answer to the last one may be on its way
        server.on('request', () => --left === 0 && resolve())
      })
    await requests.during(answered, 2)
    await requests.once()
    assert.deepEqual([requests.failure(), requests.failedShare()], [null, 0])
    await requests.during(answered)
    assert.match(requests.failure(), /status 503/)
  })

  test('come at two fifths of what a connection gets, of slow pages at four fifths', () => {
    assert.deepEqual([100, 10_000, 1, 0].map(rateFor), [40, 200, 0.8, 0.1])
  })
})
