// Functions that keep or take something from elsewhere, each in another way.
import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

function ownCache(seed) {
  ownCache.known ??= {}
  ownCache.known[seed % 10] = burn(seed, 100_000)
  return ownCache.known[seed % 10]
}

class Rates {
  static known = new Map()

  static cached(seed) {
    Rates.known.set(seed % 10, burn(seed, 100_000))
    return Rates.known.get(seed % 10)
  }
}

function fromEnvironment(seed) {
  return burn(seed, 100_000) + (process.env.FACTOR ?? '')
}

function stamped(seed) {
  return `${burn(seed, 100_000)} ${new Date().getTime()}`
}

const bus = new EventEmitter()
bus.on('sum', function onSum(seed) {
  burn(seed, 100_000)
})

function announce(seed) {
  return bus.emit('sum', seed)
}

const settings = { factor: 2 }
const configure = (more) => Object.assign(settings, more)

function configured(seed) {
  return burn(seed, 100_000) * settings.factor
}

let number = 0
createServer((request, response) => {
  const seed = number++ % 100
  if (request.url === '/configure') configure({ factor: 3 })
  const sums = [ownCache, Rates.cached, fromEnvironment, stamped, announce, configured].map((run) =>
    run(seed),
  )
  response.end(sums.join())
}).listen(process.env.PORT)
