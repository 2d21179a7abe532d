import { spin } from '../spin.cjs'
import { filters, rules, run } from './pipeline.mjs'

export function piped(text) {
  return { text: run(text), sum: spin(text.length) }
}
export function ruled(text, rule) {
  return { text: (rules.get(rule) ?? ((same) => same))(text), sum: spin(text.length) }
}
export function filtered(text, name) {
  return { text: filters[name]?.(text) ?? text, sum: spin(text.length) }
}
export function bare(text) {
  return { text: text.split('').reverse().join(''), sum: spin(text.length) }
}
