// What a number is to V8, not to the program: it keeps small integers apart from doubles, also where their values are equal.
//
// A task that is given 200000 as a double is compiled for doubles, and anew when it meets the integer; and V8 looks up items by a
// double more slowly. Structured clone makes small integers of all numbers that are some, so this does too. They are doubles where
// they were read from a Float64Array, by code that is not optimized yet, and where they lay in a list with one.

/** The same number, as a small integer if it is one. */
export function asSmallInteger(value: number): number {
  const integer = value | 0
  return integer === value && (integer !== 0 || 1 / value > 0) ? integer : value
}

/**
 * A list of one value. Not [value]: once that was a double, V8 makes all lists from that place lists of doubles, whatever they hold.
 * This one is of values of any kind from the start.
 */
export function listOfOne(value: unknown): unknown[] {
  const list: unknown[] = [undefined]
  list[0] = value
  return list
}

/** These numbers in such a list, the small integers as such. Not empty. */
export function listOfNumbers(numbers: readonly number[]): unknown[] {
  const list = listOfOne(undefined)
  for (let i = 0; i < numbers.length; i++) list[i] = asSmallInteger(numbers[i] as number)
  return list
}
