import { spin } from '../spin.cjs'

export function written(row) {
  return { text: JSON.stringify(row), sum: spin(3) }
}

export function keysOf(row) {
  const keys = []
  for (const key in row) if (!key.startsWith('i') || row.isWide) keys.push(key)
  return { keys, sum: spin(keys.length) }
}

export function replaced(text) {
  return { text: text.replace(/often/, 'seldom'), sum: spin(text.length) }
}

export function summed(numbers) {
  let all = 0
  for (let index = 0; index < numbers.length; index++) all += numbers[index]
  return all + 0 * spin(numbers.length)
}
