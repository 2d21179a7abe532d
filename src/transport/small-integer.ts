// What a number is to V8, not to the program: it keeps small integers apart from doubles, also where their values are equal.
//
// What is read from a Float64Array is a double, until the code that reads it is optimized. A task that is given 200000 as a double
// is compiled for doubles, and anew when it meets the integer; and V8 looks up items by a double more slowly. Structured clone keeps
// them apart, so this does too.

/** The same number, as a small integer if it is one. */
export function asSmallInteger(value: number): number {
  const integer = value | 0
  return integer === value && (integer !== 0 || 1 / value > 0) ? integer : value
}

/** A list of one number. Not [value]: once that was a double, V8 makes all lists from there lists of doubles, whatever they hold. */
export function oneNumber(value: number): unknown[] {
  const list: unknown[] = [undefined]
  list[0] = asSmallInteger(value)
  return list
}

/** The same for several; there may be other values among them. */
export function listOfNumbers(values: readonly unknown[]): unknown[] {
  const list: unknown[] = [undefined]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    list[i] = typeof value === 'number' ? asSmallInteger(value) : value
  }
  return list
}
