import { spin } from '../spin.cjs'

const later = async (value) => {
  await null
  return value
}

export async function report(rows) {
  const parts = await Promise.all(rows.map((row) => later(row * 2)))
  return { parts, sum: spin(rows.length) }
}

const open = new Map()
export async function shared(key) {
  if (key === 'rare') {
    if (!open.has(key)) open.set(key, open.size + 1)
    return { key, number: open.get(key), sum: spin(1) }
  }
  return { key, number: 0, sum: spin(key.length) }
}

export const chained = (value) => later(value).then((each) => ({ each, sum: spin(each) }))

export async function* pages(count) {
  for (let page = 0; page < count; page++) yield { page, sum: spin(page) }
}

export async function checked(value) {
  try {
    if (value < 0) throw new RangeError('below 0')
    return { value, sum: spin(value) }
  } catch (error) {
    return { problem: error.message }
  }
}

export async function paused(value) {
  await new Promise((resolve) => setTimeout(resolve, 20))
  return { value, sum: spin(value) }
}
