import { spin } from '../spin.cjs'

const limits = {
  asked: 0,
  get max() {
    return 10
  },
  get next() {
    return ++this.asked
  },
}
const settings = Object.defineProperty({}, 'mode', { get: () => mode })
let mode = 'plain'
export const setMode = (next) => {
  mode = next
}
const defaults = Object.create({ size: 3 })
const tagged = (texts, ...values) => texts.reduce((all, text, index) => `${all}${values[index - 1]}${text}`)

export function capped(values) {
  return { values: values.map((value) => Math.min(value, limits.max)), sum: spin(values.length) }
}
export function numbered(order) {
  return { number: order.urgent ? limits.next : 0, sum: spin(order.net) }
}
export function moded(text) {
  return { text: `${settings.mode} ${text}`, sum: spin(text.length) }
}
export function sized(text) {
  return { text: text.padStart(defaults.size), sum: spin(text.length) }
}
export function titled(text) {
  return { text: tagged`<h1>${text}</h1>`, sum: spin(text.length) }
}
