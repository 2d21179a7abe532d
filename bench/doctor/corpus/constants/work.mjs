import { createHash } from 'node:crypto'
import Markup from 'small-markup'
import Schemas from 'small-schema'
import { z } from 'zod'
import { spin } from '../spin.cjs'

const { floor, sqrt } = Math
const [LOW, HIGH] = [3, 9]
const OPTIONS = { ends: ['<', '>'], size: { pad: 4 } }
const NAMES = new Map(Object.entries({ a: 'first', b: 'second' }))
const EURO = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' })
const PATTERNS = [/(\d+)-(\d+)/, /(\w+)@(\w+)/].map((pattern) => ({ pattern, size: pattern.source.length }))
const WEIGHTS = new Float64Array([1, 2, 3, 5])
const TABLE = Array.from({ length: 64 }, (_, index) => index * index)
const markup = new Markup({ html: true }).use('link', (text) => text.replace(/#(\w+)/g, '<a>$1</a>'))
const schemas = new Schemas({ strict: true })
const isRow = schemas.compile({ id: 'number', name: 'string' })
const Order = z.object({
  id: z.number(),
  items: z.array(z.object({ sku: z.string(), count: z.number().int() })),
})

const wrapped = (text, { ends: [left, right], size }) => `${left}${text.padStart(size.pad)}${right}`

export function scaled(value) {
  return { root: floor(sqrt(value)), isIn: value > LOW && value < HIGH, sum: spin(value) }
}

export function boxed(text) {
  return { text: wrapped(text, OPTIONS), sum: spin(text.length) }
}

export function priced(cents, kind) {
  return { text: EURO.format(cents / 100), name: NAMES.get(kind), sum: spin(cents) }
}

export function found(text) {
  const hit = PATTERNS.find(({ pattern }) => pattern.test(text))
  return { size: hit?.size ?? 0, weight: WEIGHTS.at(-1) * TABLE[7], sum: spin(text.length) }
}

export function rendered(text) {
  return { html: markup.render(text), sum: spin(text.length) }
}

export function valid(row) {
  return { isValid: isRow(row), errors: isRow.errors, sum: spin(3) }
}

export function parsedOrder(order) {
  const { data, success } = Order.safeParse(order)
  return { count: success ? data.items.length : -1, sum: spin(5) }
}

export function hashed(text) {
  return { hash: createHash('sha256').update(text).digest('hex'), sum: spin(text.length) }
}
