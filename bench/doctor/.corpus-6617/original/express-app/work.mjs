import { spin } from '../spin.cjs'

export class NotFound extends Error {
  status = 404
}
export function listed(page, size = 3) {
  return Array.from({ length: size }, (_, index) => ({ id: page * size + index, sum: spin(index, 300_000) }))
}
export function one(id) {
  spin(id)
  if (id > 90) throw new NotFound(`no ${id}`)
  return { id }
}
export function tagOf(body) {
  return `"${spin(body.length)}"`
}
export function view(locals) {
  return `<h1>${locals.title}</h1>${spin(locals.title.length)}`
}
