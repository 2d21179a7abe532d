// What apps/objects.mjs has of another file, without a name.
const table = new Map([
  ['first', 3],
  ['second', 5],
])

export default function crunch(seed) {
  let sum = seed
  for (let i = 0; i < 100_000; i++) sum = (sum * 31 + i + table.get('first')) % 1_000_003
  return sum
}
