import { spin } from '../spin.cjs'

const MODE = process.env.APP_MODE ?? 'plain'
export function mode(text) {
  return { text: `${MODE} ${text}`, sum: spin(text.length) }
}
export function flagged(text) {
  return { text: process.env.FLAG === '1' ? text.toUpperCase() : text, sum: spin(text.length) }
}
export function globalTitle(text) {
  return { text: `${globalThis.title} ${text}`, sum: spin(text.length) }
}
export function local(text) {
  return { text: text.toLocaleUpperCase('de'), sum: spin(text.length) }
}
