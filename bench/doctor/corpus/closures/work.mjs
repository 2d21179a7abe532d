import { spin } from '../spin.cjs'

const createFormat = (options) => {
  const { left, right } = { left: '<', right: '>', ...options }
  return (text) => `${left}${text}${right}`
}
const format = createFormat({ left: '[' })
export const boxed = (text) => ({ text: format(text), sum: spin(text.length) })

const createPrices = (table) => (sku, net) => ({ price: table[sku] * net, sum: spin(net) })
export const priceOf = createPrices({ a: 3, b: 5 })

const compose =
  (...steps) =>
  (value) =>
    steps.reduce((each, step) => step(each), value)
const clean = compose(
  (text) => text.trim(),
  (text) => text.toUpperCase(),
)
export const cleaned = (text) => ({ text: clean(text), sum: spin(text.length) })

const once = (make) => {
  let made
  return () => (made ??= make())
}
const table = once(() => [1, 4, 9])
export const squared = (index) => ({ square: table()[index], sum: spin(index) })

const memoize = (work) => {
  const known = new Map()
  return (key) => known.get(key) ?? known.set(key, work(key)).get(key)
}
let worked = 0
const labels = memoize((key) => `${key} ${worked++}`)
export const labelled = (key) => ({ label: key === 'rare' ? labels(key) : key, sum: spin(key.length) })
