import { spin } from '../spin.cjs'

export const isGood = (item) => spin(item.price) >= 0 && item.price > 50
export const weight = (item) => item.price + (spin(item.price) % 2)
export const masked = (key, value) => (spin(key.length) >= 0 && key === 'card' ? '****' : value)
export const total = (prices) => prices.reduce((sum, price) => sum + price, spin(prices.length) * 0)
export const described = (item) => `item ${item.price} ${spin(item.price) % 7}`
export const square = (number) => number * number + 0 * spin(number)
export const chart = (values) => `<svg>${values.join()} ${spin(values.length)}</svg>`
export const worth = (item) => (spin(item.price) % 3) + item.price
export const doubled = (value) => value * 2 + 0 * spin(value)
