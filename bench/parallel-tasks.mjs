// Tasks of bench/parallel.mjs.
export function burn(steps) {
  let x = 0
  for (let i = 1; i <= steps; i++) x += Math.sqrt(i) * Math.sin(i)
  return x
}

/** Memory-bound: one addition for each 16 bytes moved. */
export function addRange({ values, from, to }) {
  for (let i = from; i < to; i++) values[i] += 1
}

export function sortRange({ values, from, to }) {
  values.set(values.slice(from, to).sort(), from)
}

export const isOdd = (n) => n % 2 === 1
export const add = (a, b) => a + b

export function countWords(text) {
  const counts = new Map()
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

export function addCounts(a, b) {
  for (const [word, count] of b) a.set(word, (a.get(word) ?? 0) + count)
  return a
}
