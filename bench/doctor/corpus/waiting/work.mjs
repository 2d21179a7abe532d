import { spin } from '../spin.cjs'

export const added = (value) => ({ value, sum: spin(value) })
export const looked = (key) => ({ key, sum: spin(key.length) })
export const strict = (value) => {
  spin(value)
  if (value > 90) throw new RangeError('too large')
  return { value }
}
export const calm = (value) => ({ value, sum: spin(value) })
