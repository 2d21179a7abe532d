// The lowest free number: the lane of a worker, the place of an instance.

/** The lowest number from 0 that is not taken. */
export function firstFree(taken: Iterable<number>): number {
  const numbers = new Set(taken)
  let number = 0
  while (numbers.has(number)) number++
  return number
}
