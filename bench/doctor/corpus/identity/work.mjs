import { spin } from '../spin.cjs'

export const NOTHING = Object.freeze({ found: false })
export const FREE = { name: 'free' }
export class Money {
  constructor(cents) {
    this.cents = cents
  }
}

export function nearest(points, x) {
  let best = points[0]
  for (const point of points) if (Math.abs(point.x - x) < Math.abs(best.x - x)) best = point
  spin(x)
  return best
}

export function clean(rows) {
  if (rows.every(({ text }) => text.trim() === text))
    return rows.map(({ text }) => ({ text, length: spin(text.length) }))
  return rows.length > 2 ? rows : rows.map(({ text }) => ({ text: text.trim(), length: spin(text.length) }))
}

export function search(words, word) {
  const hits = words.filter((each) => each.includes(word))
  spin(words.length)
  return hits.length > 0 ? { found: true, hits: hits.length } : NOTHING
}

export function slugged(product) {
  product.slug ??= product.name.toLowerCase().replaceAll(' ', '-')
  return { slug: product.slug, sum: spin(product.slug.length) }
}

export function priceOf(plan, net) {
  return { price: plan === FREE ? 0 : net, sum: spin(net) }
}

export function sealed(net) {
  return Object.freeze({ net, sum: spin(net) })
}

export function cents(amount) {
  return { cents: amount instanceof Money ? amount.cents : amount * 100, sum: spin(7) }
}

export function summary(rows) {
  const [first] = rows
  return {
    first: first.text,
    longest: Math.max(...rows.map(({ text }) => text.length)),
    sum: spin(rows.length),
  }
}
